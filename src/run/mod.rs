//! Refresh, the supervised run, the conclusion and publication (page 4).

pub mod conclusion;
pub mod refresh;
