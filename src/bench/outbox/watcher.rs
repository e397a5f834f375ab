//! A real watcher: how soon after an enqueue its push begins, and how often it wakes when there is
//! nothing to do.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::host::Host;
use crate::bench::Watch;
use crate::bench::document::{Bound, Figure};
use crate::bench::error::BenchError;
use crate::bench::options::Options;
use crate::bench::samples::{Samples, nanos, round};
use crate::outbox::DeliveryKey;
use crate::process::warden::{Caps, Input, Job, Stream, Supervision, Tree};
use crate::process::{Cancel, Program};

/// A push begins at most so long after its enqueue has answered.
const PUSH_START: Duration = Duration::from_millis(50);
/// How often an idle watcher may wake, a second.
const WAKE_UPS: f64 = 1.0;
/// How long an idle watcher is looked at.
const IDLE: Duration = Duration::from_secs(5);
/// How long anything may take before it counts as never.
const PATIENCE: Duration = Duration::from_secs(120);
/// The longest that the watcher lives.
const LIFE: Duration = Duration::from_secs(24 * 3600);

/// Starts a watcher on the root, measures it, and ends it.
pub(super) fn measure(
    options: &Options,
    program: &Path,
    host: &Host,
    watch: &mut dyn Watch,
) -> Result<Vec<Figure>, BenchError> {
    let marking = Marking::make(host.folder())?;
    let watcher = Program::new(program)
        .args(["outbox", "watch", "--host-root"])
        .arg(host.root().path())
        .env("PATH", &marking.path)
        .env("HOME", host.folder())
        .directory("/");
    let tree = start(program, &watcher)?;
    let kill = tree.handle().map_err(BenchError::measured("a watcher"))?;
    let measured = measured(options, host, &marking, watch);
    kill.kill();
    tree.wait(&Cancel::new())
        .map_err(BenchError::measured("the end of a watcher"))?;
    measured
}

fn measured(
    options: &Options,
    host: &Host,
    marking: &Marking,
    watch: &mut dyn Watch,
) -> Result<Vec<Figure>, BenchError> {
    // What was enqueued before is pushed first; this one is behind it.
    let last = host.enqueue("watched")?;
    until("the watcher", || host.is_over(&last))?;
    let mut starts = Samples::new();
    let what = format!("{} deliveries: push start", host.rows());
    for number in 0..options.samples {
        watch.progress(&what, u64::from(number), u64::from(options.samples))?;
        marking.clear();
        let key = host.enqueue(&format!("start-{number}"))?;
        starts.push(marking.wait()?);
        settle(host, &key)?;
    }
    let mut figures = vec![Figure {
        bound: Some(Bound {
            median_nanos: Some(nanos(PUSH_START)),
            held: starts.median() <= PUSH_START,
            ..Bound::default()
        }),
        ..Figure::of("push start after enqueue", Some(host.rows()), &starts)
    }];
    watch.progress("an idle watcher", 0, 1)?;
    figures.extend(idle(host)?);
    Ok(figures)
}

/// Until a delivery is over, and what follows it too.
fn settle(host: &Host, key: &DeliveryKey) -> Result<(), BenchError> {
    until("the end of a delivery", || host.is_over(key))
}

fn start(binary: &Path, program: &Program) -> Result<Tree, BenchError> {
    let job = Job {
        program,
        input: Input::Null,
        stdout: Stream::Null,
        stderr: Stream::Null,
        wall: LIFE,
        window: None,
        caps: &Caps::default(),
        held: None,
    };
    let supervision = Supervision {
        binary,
        cgroup: false,
        adoption: None,
    };
    Tree::start(&job, &supervision).map_err(|error| BenchError::Answer {
        what: "a watcher".into(),
        expected: "a running one",
        got: error.to_string(),
    })
}

/// A `git` in front of the real one, for the watcher alone: it makes a file when it is asked to
/// push. The shell that it costs counts against the watcher.
struct Marking {
    mark: PathBuf,
    path: std::ffi::OsString,
}

impl Marking {
    fn make(folder: &Path) -> Result<Marking, BenchError> {
        let (bin, mark) = (folder.join("bin"), folder.join("push-begun"));
        let failed = |source| BenchError::io("write", &bin, source);
        fs::create_dir(&bin).map_err(failed)?;
        let real = std::env::var_os("PATH").unwrap_or_default();
        let script = format!(
            "#!/bin/sh\nPATH='{}'\ncase \" $* \" in *' push '*) : > '{}';; esac\nexec git \"$@\"\n",
            real.display(),
            mark.display()
        );
        let git = bin.join("git");
        fs::write(&git, script).map_err(failed)?;
        fs::set_permissions(&git, fs::Permissions::from_mode(0o700)).map_err(failed)?;
        let mut path = bin.into_os_string();
        path.push(":");
        path.push(real);
        Ok(Marking { mark, path })
    }

    fn clear(&self) {
        // It may not be there.
        let _ = fs::remove_file(&self.mark);
    }

    /// From now until a push has begun.
    fn wait(&self) -> Result<Duration, BenchError> {
        let started = Instant::now();
        until("the begin of a push", || Ok(self.mark.exists()))?;
        Ok(started.elapsed())
    }
}

fn until(
    what: &str,
    mut holds: impl FnMut() -> Result<bool, BenchError>,
) -> Result<(), BenchError> {
    let started = Instant::now();
    while !holds()? {
        if started.elapsed() > PATIENCE {
            return Err(BenchError::Answer {
                what: what.to_owned(),
                expected: "it within two minutes",
                got: "nothing".into(),
            });
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    Ok(())
}

/// How often the watcher wakes in a while without work, where the system tells.
fn idle(host: &Host) -> Result<Option<Figure>, BenchError> {
    let worker = host
        .root()
        .read_worker()
        .map_err(BenchError::measured("the identity of a watcher"))?;
    let Some(pid) = worker.map(|worker| worker.identity.pid) else {
        return Ok(None);
    };
    // It hears its own last change of the due folder; then it sleeps.
    let mut before = switches(pid);
    until("an idle watcher", || {
        std::thread::sleep(Duration::from_millis(500));
        let now = switches(pid);
        Ok(std::mem::replace(&mut before, now) == now)
    })?;
    let Some(before) = before else {
        return Ok(None);
    };
    let started = Instant::now();
    std::thread::sleep(IDLE);
    let span = started.elapsed();
    let woken = switches(pid).unwrap_or(u64::MAX).saturating_sub(before);
    let mut samples = Samples::new();
    samples.push(span);
    let woken = u32::try_from(woken).unwrap_or(u32::MAX);
    let per_second = round(f64::from(woken) / span.as_secs_f64());
    Ok(Some(Figure {
        per_second: Some(per_second),
        bound: Some(Bound {
            at_most_per_second: Some(WAKE_UPS),
            held: per_second < WAKE_UPS,
            ..Bound::default()
        }),
        ..Figure::of("wake-ups of an idle watcher", Some(host.rows()), &samples)
    }))
}

/// How often the threads of a process were woken so far.
fn switches(pid: u32) -> Option<u64> {
    let mut sum = 0_u64;
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let text = fs::read_to_string(task.ok()?.path().join("status")).ok()?;
        let count = text
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        sum = sum.saturating_add(count.trim().parse().ok()?);
    }
    Some(sum)
}
