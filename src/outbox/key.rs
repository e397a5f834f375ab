//! Which delivery: project, task and turn, and every name that follows from them.

use super::names::{Project, Task, Turn};

/// Where all pins lie, in the mirror.
pub(super) const PIN_PREFIX: &str = "refs/mac-worker/delivery/";

/// The identity of one delivery.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryKey {
    /// The project, which names the mirror.
    pub project: Project,
    /// The task.
    pub task: Task,
    /// The turn.
    pub turn: Turn,
}

impl DeliveryKey {
    /// The intent's file in its task's `delivery` directory.
    #[must_use]
    pub fn intent_name(&self) -> String {
        format!("{}.json", self.turn)
    }

    /// The redacted words of the origin, beside the intent.
    #[must_use]
    pub fn note_name(&self) -> String {
        format!("{}.stderr", self.turn)
    }

    /// The lock that fences every change of the intent, in `locks`.
    #[must_use]
    pub fn lock_name(&self) -> String {
        format!("outbox-{}-{}.lock", self.task, self.turn)
    }

    /// The due entry, in `locks/outbox-due`.
    #[must_use]
    pub fn due_name(&self) -> String {
        format!("{}-{}.json", self.task, self.turn)
    }

    /// The pin, in the mirror.
    #[must_use]
    pub fn pin_ref(&self) -> String {
        format!("{PIN_PREFIX}{}/{}", self.task, self.turn)
    }
}

impl std::fmt::Display for DeliveryKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/{}/{}", self.project, self.task, self.turn)
    }
}

/// The task and turn in `<task>-<turn><ending>`: a turn has a fixed length, so a task with dashes
/// is no riddle.
#[must_use]
pub(super) fn split_task_turn(name: &str, ending: &str) -> Option<(Task, Turn)> {
    let stem = name.strip_suffix(ending)?;
    let dash = stem.len().checked_sub(33)?;
    let (task, turn) = stem.split_at_checked(dash)?;
    Some((
        Task::new(task).ok()?,
        Turn::new(turn.strip_prefix('-')?).ok()?,
    ))
}
