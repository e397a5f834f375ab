//! The code blocks of a page.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::scene::top;

/// One fenced block, or a hidden `<!-- run: … -->`.
pub struct Block {
    /// The words behind the fence; `run` for a hidden one.
    pub info: Vec<String>,
    /// Its text.
    pub text: String,
    /// Where it starts.
    pub line: usize,
}

impl Block {
    /// The value of `name=value` behind the fence.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.info
            .iter()
            .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    /// The language.
    pub fn language(&self) -> &str {
        self.info.first().map_or("", String::as_str)
    }
}

/// Every page, as its path from the top.
pub fn pages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
    ]
    .iter()
    .map(PathBuf::from)
    .collect();
    let mut waiting = vec![PathBuf::from("docs")];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(top().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The text of a page.
pub fn text_of(page: &Path) -> String {
    fs::read_to_string(top().join(page)).unwrap()
}

/// The blocks of a page, in order.
pub fn blocks(page: &Path) -> Vec<Block> {
    let text = text_of(page);
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<(Block, &str)> = None;
    for (index, line) in text.lines().enumerate() {
        match &mut open {
            Some((_, end)) if line.trim_end() == *end => {
                found.extend(open.take().map(|(block, _)| block));
            }
            Some((block, _)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => {
                let (info, end) = if let Some(info) = line.strip_prefix("```") {
                    (info, "```")
                } else if line == "<!-- run:" {
                    ("run", "-->")
                } else {
                    continue;
                };
                let block = Block {
                    info: info.split_whitespace().map(str::to_owned).collect(),
                    text: String::new(),
                    line: index + 1,
                };
                open = Some((block, end));
            }
        }
    }
    assert!(open.is_none(), "{}: a block is not closed", page.display());
    found
}

/// The lines of a page that are outside of every block, with their numbers.
pub fn prose(page: &Path) -> Vec<(usize, String)> {
    let mut inside = false;
    text_of(page)
        .lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let fence = line.starts_with("```");
            inside ^= fence;
            (!inside && !fence).then(|| (index + 1, line.to_owned()))
        })
        .collect()
}
