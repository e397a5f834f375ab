//! The model of a medium that keeps only what was synced.
//!
//! What it promises is what the standard promises, and no more:
//! - a synced file has its bytes and its size; of an unsynced one anything may be there: nothing, a
//!   part, all, or its size filled with zeros. The file's sync says nothing about its name;
//! - a name is as it was when its directory was last synced, or as any later change left it: the
//!   changes of one name keep their order, those of different names keep none;
//! - a rename is one change of the new name and one of the old: never a mixture of two files, but
//!   the old name may come back beside the new one, and both may be as they were.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path};

use amiss::durable::Step;

/// A file or directory of the model.
pub type NodeId = usize;

/// What a name may stand for: its value at the last sync of its directory first, then one value
/// after each later change.
#[derive(Clone, Debug)]
pub struct Name {
    pub history: Vec<Option<NodeId>>,
}

impl Name {
    fn now(&self) -> Option<NodeId> {
        *self.history.last().unwrap()
    }
}

/// A file's bytes: the first `synced` of them are on the medium.
#[derive(Clone, Debug, Default)]
pub struct Content {
    pub bytes: Vec<u8>,
    pub synced: usize,
}

#[derive(Clone, Debug)]
pub enum Node {
    File(Content),
    Directory(BTreeMap<OsString, Name>),
}

/// The medium with its caches: everything that was done, and how much of it must have reached it.
#[derive(Clone, Debug)]
pub struct Medium {
    pub nodes: Vec<Node>,
}

/// The top directory.
pub const TOP: NodeId = 0;

impl Medium {
    /// An empty directory.
    pub fn empty() -> Medium {
        Medium {
            nodes: vec![Node::Directory(BTreeMap::new())],
        }
    }

    /// What lies in a folder now, taken as durable.
    pub fn of(folder: &Path) -> Medium {
        let mut medium = Medium::empty();
        medium.take_in(TOP, folder);
        medium
    }

    fn take_in(&mut self, into: NodeId, folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let id = if entry.file_type().unwrap().is_dir() {
                let id = self.add(Node::Directory(BTreeMap::new()));
                self.take_in(id, &entry.path());
                id
            } else {
                let bytes = std::fs::read(entry.path()).unwrap();
                let synced = bytes.len();
                self.add(Node::File(Content { bytes, synced }))
            };
            let history = vec![Some(id)];
            self.names(into).insert(entry.file_name(), Name { history });
        }
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn names(&mut self, id: NodeId) -> &mut BTreeMap<OsString, Name> {
        match &mut self.nodes[id] {
            Node::Directory(names) => names,
            Node::File(_) => panic!("a file is no directory"),
        }
    }

    fn content(&mut self, path: &Path) -> &mut Content {
        let id = self.find(path).unwrap();
        match &mut self.nodes[id] {
            Node::File(content) => content,
            Node::Directory(_) => panic!("{} is a directory", path.display()),
        }
    }

    /// What a path stands for to the running program.
    fn find(&mut self, path: &Path) -> Option<NodeId> {
        let mut at = TOP;
        for part in path.components() {
            let Component::Normal(part) = part else {
                panic!("{} is no plain path", path.display())
            };
            at = self.names(at).get(part)?.now()?;
        }
        Some(at)
    }

    fn change(&mut self, path: &Path, value: Option<NodeId>) {
        let parent = self.find(path.parent().unwrap()).unwrap();
        self.names(parent)
            .entry(path.file_name().unwrap().to_owned())
            .or_insert_with(|| Name {
                history: vec![None],
            })
            .history
            .push(value);
    }

    /// Does a step.
    pub fn apply(&mut self, step: &Step) {
        match step {
            Step::MakeDir(path) => {
                let id = self.add(Node::Directory(BTreeMap::new()));
                self.change(path, Some(id));
            }
            Step::Create(path) => {
                let id = self.add(Node::File(Content::default()));
                self.change(path, Some(id));
            }
            Step::Append(path, bytes) => self.content(path).bytes.extend_from_slice(bytes),
            Step::SyncFile(path) => {
                let content = self.content(path);
                content.synced = content.bytes.len();
            }
            Step::Rename(from, to) => {
                let id = self.find(from).unwrap();
                self.change(to, Some(id));
                self.change(from, None);
            }
            Step::Remove(path) | Step::RemoveDir(path) => self.change(path, None),
            Step::SyncDir(path) => {
                let id = self.find(path).unwrap();
                for name in self.names(id).values_mut() {
                    name.history = vec![name.now()];
                }
            }
            Step::Answer(_) => {}
        }
    }
}
