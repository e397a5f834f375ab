//! One cycle: recovery, then everything that is due now, origins side by side.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::access_file::AccessFile;
use super::error::OutboxError;
use super::pump::{Job, Pump, PumpError, Report, Settings, SharedClock, Verdict};
use super::root::{HostRoot, PumpLock};
use super::schedule::{Heard, Schedule};

/// How long pushes in flight may go on after SIGTERM or SIGINT before they are killed. With the
/// kill itself a pump is gone within 10 s.
pub(super) const GRACE: Duration = Duration::from_millis(7500);

/// What a cycle did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Cycle {
    /// How many deliveries were due.
    pub due: u64,
    /// How many reached their origin.
    pub delivered: u64,
    /// How many an origin's later commit contains.
    pub superseded: u64,
    /// How many failed and will be tried again.
    pub retrying: u64,
    /// How many failed for the last time.
    pub failed: u64,
    /// With how many nothing was decided.
    pub skipped: u64,
}

impl Cycle {
    /// Counts a result.
    pub fn count(&mut self, verdict: Verdict) {
        let slot = match verdict {
            Verdict::Delivered => &mut self.delivered,
            Verdict::Superseded => &mut self.superseded,
            Verdict::Retrying => &mut self.retrying,
            Verdict::Failed => &mut self.failed,
            Verdict::Skipped => &mut self.skipped,
        };
        *slot = slot.saturating_add(1);
    }
}

/// Runs one cycle with at most `settings.jobs` origins at a time. Nothing of Git or of the user's
/// configuration is touched when nothing is due. After a stop nothing new is begun; what is in
/// flight gets some seconds and is then killed.
///
/// # Errors
/// A registry that cannot be read, the clock, or the user's configuration.
pub fn run_once(
    root: HostRoot,
    held: &PumpLock,
    clock: SharedClock,
    settings: Settings,
) -> Result<(Cycle, Vec<Report>), PumpError> {
    AccessFile::sweep(&root, held)?;
    root.recover(&settings.stop)?;
    let now = clock.now().map_err(OutboxError::from)?;
    let clocks = (now, Instant::now());
    let jobs = Schedule::new()
        .look(&root, &Heard::Anything, usize::MAX, clocks)?
        .jobs;
    if jobs.is_empty() {
        return Ok((Cycle::default(), Vec::new()));
    }
    let due = jobs.iter().map(|job| job.intents.len()).sum::<usize>();
    let pump = Pump::start(root, held, clock, settings)?;
    let reports = pump.run_jobs(jobs);
    let mut cycle = Cycle {
        due: u64::try_from(due).unwrap_or(u64::MAX),
        ..Cycle::default()
    };
    for report in &reports {
        cycle.count(report.verdict);
    }
    Ok((cycle, reports))
}

impl Pump {
    fn run_jobs(&self, jobs: Vec<Job>) -> Vec<Report> {
        let width = self.settings.jobs.clamp(1, jobs.len().max(1));
        let (done, results) = mpsc::channel();
        let queue = std::sync::Mutex::new(jobs.into_iter());
        let mut reports = Vec::new();
        std::thread::scope(|scope| {
            for _ in 0..width {
                let (done, queue) = (done.clone(), &queue);
                scope.spawn(move || {
                    let next = || queue.lock().ok()?.next();
                    while let Some(job) = next() {
                        self.run_job(&job, &mut |report| {
                            // The receiver outlives every sender.
                            let _ = done.send(report);
                        });
                    }
                });
            }
            drop(done);
            let mut stopped: Option<Instant> = None;
            loop {
                match results.recv_timeout(Duration::from_millis(100)) {
                    Ok(report) => reports.push(report),
                    Err(mpsc::RecvTimeoutError::Disconnected) => return,
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                }
                if self.settings.stop.is_cancelled() {
                    let since = stopped.get_or_insert_with(Instant::now);
                    if since.elapsed() >= GRACE {
                        self.kill();
                    }
                }
            }
        });
        reports
    }
}
