//! Every state that a crash may leave on a [`Medium`], up to a stated bound.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::rc::Rc;

use super::medium::{Content, Medium, Node, NodeId, TOP};

/// What a crash left: plain files and directories.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tree {
    File(Rc<Vec<u8>>),
    Directory(Rc<BTreeMap<OsString, Tree>>),
}

/// The states at one moment.
#[derive(Debug)]
pub struct States {
    /// Those that were built.
    pub built: Vec<Tree>,
    /// How many there are.
    pub all: u128,
}

impl Tree {
    /// A number that tells it from every other.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// Lays a directory's content out in a folder.
    pub fn lay_out(&self, folder: &Path) {
        let Tree::Directory(names) = self else {
            panic!("a file cannot be laid out as a folder")
        };
        for (name, tree) in names.iter() {
            let path = folder.join(name);
            match tree {
                Tree::File(bytes) => std::fs::write(path, bytes.as_slice()).unwrap(),
                Tree::Directory(_) => {
                    std::fs::create_dir(&path).unwrap();
                    private(&path);
                    tree.lay_out(&path);
                }
            }
        }
    }

    /// What lies in a folder now.
    pub fn of(folder: &Path) -> Tree {
        let mut states = directory(&Medium::of(folder), TOP, 1);
        states.built.remove(0)
    }

    /// The same without leftovers of interrupted replacements, and without locks.
    pub fn without_leftovers(&self) -> Tree {
        match self {
            Tree::File(_) => self.clone(),
            Tree::Directory(names) => {
                let is_row_work = |name: &OsString| {
                    let name = name.to_string_lossy();
                    !name.starts_with(".atomicwrite") && !name.ends_with(".lock")
                };
                let names = names
                    .iter()
                    .filter(|(name, _)| is_row_work(name))
                    .map(|(name, tree)| (name.clone(), tree.clone()))
                    .collect();
                Tree::Directory(Rc::new(names))
            }
        }
    }

    /// The names in it, with `/` after directories, for messages.
    pub fn describe(&self) -> String {
        match self {
            Tree::File(bytes) => format!("{} bytes", bytes.len()),
            Tree::Directory(names) => {
                let list: Vec<String> = names
                    .iter()
                    .map(|(name, tree)| format!("{}: {}", name.display(), tree.describe()))
                    .collect();
                format!("{{{}}}", list.join(", "))
            }
        }
    }
}

/// Makes a folder the caller's own (0700), as roots are.
pub fn private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
}

/// All states that a crash may leave now. Over `bound` of them not all are built, but: every
/// combination of the values of any two names, the other names being all at their oldest value and
/// all at their newest; and a repeatable sample of the rest, up to the bound.
pub fn states(medium: &Medium, bound: usize) -> States {
    let mut states = directory(medium, TOP, bound);
    let mut seen = std::collections::HashSet::new();
    states.built.retain(|tree| seen.insert(tree.fingerprint()));
    states
}

fn of(medium: &Medium, id: NodeId, bound: usize) -> States {
    match &medium.nodes[id] {
        Node::File(content) => file(content),
        Node::Directory(_) => directory(medium, id, bound),
    }
}

/// What may be left of a file's bytes: what was synced, half of the rest, all of it, and its size
/// filled with zeros.
fn file(content: &Content) -> States {
    let (synced, full) = (content.synced, content.bytes.len());
    let mut lengths = vec![synced, synced + (full - synced) / 2, full];
    lengths.dedup();
    let mut list: Vec<Vec<u8>> = lengths
        .into_iter()
        .map(|length| content.bytes[..length].to_vec())
        .collect();
    if full > synced {
        let mut zeros = content.bytes[..synced].to_vec();
        zeros.resize(full, 0);
        list.insert(1, zeros);
    }
    let built: Vec<Tree> = list
        .into_iter()
        .map(|bytes| Tree::File(Rc::new(bytes)))
        .collect();
    let all = built.len() as u128;
    States { built, all }
}

/// The values that one name may have, oldest first.
type Axis = (OsString, Vec<Option<Tree>>);

fn directory(medium: &Medium, id: NodeId, bound: usize) -> States {
    let Node::Directory(names) = &medium.nodes[id] else {
        panic!("a file is no directory")
    };
    let mut all = 1_u128;
    let mut axes: Vec<Axis> = Vec::new();
    for (name, value) in names {
        let mut values: Vec<Option<Tree>> = Vec::new();
        let mut count = 0_u128;
        let mut known: Vec<Option<NodeId>> = Vec::new();
        for target in &value.history {
            if known.contains(target) {
                continue;
            }
            known.push(*target);
            match target {
                None => {
                    values.push(None);
                    count += 1;
                }
                Some(id) => {
                    let inner = of(medium, *id, bound);
                    values.extend(inner.built.into_iter().map(Some));
                    count = count.saturating_add(inner.all);
                }
            }
        }
        all = all.saturating_mul(count);
        axes.push((name.clone(), values));
    }
    let built = choices(&axes, bound)
        .into_iter()
        .map(|choice| {
            let names = axes
                .iter()
                .zip(choice)
                .filter_map(|((name, values), index)| Some((name.clone(), values[index].clone()?)))
                .collect();
            Tree::Directory(Rc::new(names))
        })
        .collect();
    States { built, all }
}

fn choices(axes: &[Axis], bound: usize) -> Vec<Vec<usize>> {
    let sizes: Vec<usize> = axes.iter().map(|(_, values)| values.len()).collect();
    let product = sizes
        .iter()
        .try_fold(1_usize, |product, size| product.checked_mul(*size));
    match product {
        Some(product) if product <= bound => {
            (0..product).map(|number| digits(number, &sizes)).collect()
        }
        _ => chosen(&sizes, bound),
    }
}

/// A number in the mixed base of the sizes.
fn digits(mut number: usize, sizes: &[usize]) -> Vec<usize> {
    sizes
        .iter()
        .map(|size| {
            let digit = number % size;
            number /= size;
            digit
        })
        .collect()
}

fn chosen(sizes: &[usize], bound: usize) -> Vec<Vec<usize>> {
    let oldest = vec![0; sizes.len()];
    let newest: Vec<usize> = sizes.iter().map(|size| size - 1).collect();
    let mut list = std::collections::BTreeSet::new();
    for rest in [&oldest, &newest] {
        for one in 0..sizes.len() {
            for two in one..sizes.len() {
                for pair in 0..sizes[one] * sizes[two] {
                    let mut choice = rest.clone();
                    choice[one] = pair % sizes[one];
                    choice[two] = pair / sizes[one];
                    list.insert(choice);
                }
            }
        }
    }
    // A linear congruential generator: the same sample every time.
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..bound {
        if list.len() >= bound {
            break;
        }
        let choice = sizes
            .iter()
            .map(|size| {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                usize::try_from(random >> 33).unwrap() % size
            })
            .collect();
        list.insert(choice);
    }
    list.into_iter().collect()
}
