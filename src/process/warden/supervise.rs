//! The owner's side: starting a warden, keeping it informed, and taking its report.

use std::fs::File;
use std::io::{IoSlice, Seek, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::super::cancel::Cancel;
use super::super::capture::Captured;
use super::super::error::ProcessError;
use super::super::program::Program;
use super::super::run::pump;
use super::message::{Caps, Cause, Containment, Leader, Order, Report, Word};
use super::sweep;

/// Beyond the wall limit and the drain: after this a warden that says nothing is itself ended.
const SILENCE: Duration = Duration::from_secs(5);

/// How long the streams of an ended tree may take to end.
const STREAMS: Duration = Duration::from_millis(500);
/// How long a start may take, on however loaded a machine.
const START: Duration = Duration::from_secs(30);

/// What the program reads.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Nothing.
    Null,
    /// These bytes, out of a file without a name: nobody has to feed it, so nothing can block.
    Bytes(&'a [u8]),
}

/// Where a stream of the program goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// To the null device.
    Null,
    /// To the caller's own stream of that name.
    Inherit,
    /// Its first and last bytes are kept.
    Keep {
        /// How many of the first.
        head: usize,
        /// How many of the last.
        tail: usize,
    },
}

/// One supervised run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its standard input.
    pub input: Input<'a>,
    /// Its standard output.
    pub stdout: Stream,
    /// Its standard error.
    pub stderr: Stream,
    /// When it is killed.
    pub wall: Duration,
    /// When it is killed unless [`Handle::extend`] comes first.
    pub window: Option<Duration>,
    /// Its ceilings.
    pub caps: &'a Caps,
    /// A handle that stays open until the tree is gone, the owner's death included.
    pub held: Option<BorrowedFd<'a>>,
}

/// With what to supervise.
#[derive(Clone, Copy, Debug)]
pub struct Supervision<'a> {
    /// The `amiss` binary, which serves as the warden.
    pub binary: &'a Path,
    /// Whether a cgroup may be used.
    pub cgroup: bool,
    /// Proof that orphans of a warden that was killed come to this process.
    pub adoption: Option<Adoption>,
}

/// Proof that this process adopts orphans and has no other children of its own.
#[derive(Clone, Copy, Debug)]
pub struct Adoption(());

/// Makes this process adopt the orphans below it: the second belt, for a warden that is killed. Only
/// for a process that starts everything else before or after a supervised run, never beside it.
///
/// `None` where the host has nothing like it, and for a process that has children already (a shell
/// that started some and then gave its place to us) or gets other orphans (the first of a container):
/// they are not ours to kill.
#[must_use]
pub fn adopt_orphans() -> Option<Adoption> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{WaitId, WaitIdOptions, getpid, set_child_subreaper, waitid};
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let childless = matches!(waitid(WaitId::All, look), Err(rustix::io::Errno::CHILD));
        if !childless || getpid().is_init() {
            return None;
        }
        set_child_subreaper(Some(getpid()))
            .ok()
            .map(|()| Adoption(()))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Why nothing runs.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    /// A ceiling cannot be enforced on this host.
    #[error("{0}")]
    Refused(String),
    /// The program or its warden was not started.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// An ended run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Why it ended.
    pub cause: Cause,
    /// How the program itself ended.
    pub leader: Leader,
    /// Whether the kernel said that nothing of the tree is left.
    pub empty: bool,
    /// What was in force.
    pub containment: Containment,
    /// Whether the memory ceiling killed something of it.
    pub out_of_memory: bool,
    /// How long it ran.
    pub wall_millis: u64,
    /// What was kept of its standard output.
    pub stdout: Captured,
    /// What was kept of its standard error.
    pub stderr: Captured,
}

/// Tells the warden of a running tree.
#[derive(Debug)]
pub struct Handle(UnixStream);

impl Handle {
    /// Ends the tree. If the warden does not hear it, [`Tree::wait`] ends the warden.
    pub fn kill(&self) {
        self.say(Word::Kill);
    }

    /// The program may run for another `window` from now.
    pub fn extend(&self, window: Duration) {
        self.say(Word::Extend(millis(window)));
    }

    fn say(&self, word: Word) {
        let mut line = serde_json::to_vec(&word).unwrap_or_default();
        line.push(b'\n');
        // The socket never blocks; a warden that is gone is noticed by who waits for it.
        let _ = (&self.0).write_all(&line);
    }
}

/// A running tree.
#[derive(Debug)]
pub struct Tree {
    runtime: tokio::runtime::Runtime,
    warden: tokio::process::Child,
    reports: BufReader<tokio::net::UnixStream>,
    handle: UnixStream,
    containment: Containment,
    leader: Option<(u32, u64)>,
    wall: Duration,
    streams: (Stream, Stream),
    adoption: Option<Adoption>,
    name: String,
}

impl Tree {
    /// Starts a program under a warden.
    ///
    /// # Errors
    /// [`NotStarted`]; nothing runs then.
    pub fn start(job: &Job<'_>, supervision: &Supervision<'_>) -> Result<Tree, NotStarted> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| ProcessError::io("start a runtime", error))?;
        let (ours, theirs) =
            UnixStream::pair().map_err(|error| ProcessError::io("make a socket", error))?;
        let warden = {
            let _inside = runtime.enter();
            spawn_warden(job, supervision, theirs.into())?
        };
        send(&ours, job, supervision.cgroup)?;
        let prepared = ours
            .set_nonblocking(true)
            .and_then(|()| ours.try_clone())
            .and_then(|handle| {
                let _inside = runtime.enter();
                Ok((handle, tokio::net::UnixStream::from_std(ours)?))
            });
        let (handle, ours) =
            prepared.map_err(|error| ProcessError::io("talk to the warden", error))?;
        let mut tree = Tree {
            runtime,
            warden,
            reports: BufReader::new(ours),
            handle,
            containment: Containment::ProcessGroup,
            leader: None,
            wall: job.wall,
            streams: (job.stdout, job.stderr),
            adoption: supervision.adoption,
            name: job.program.name(),
        };
        tree.await_start()?;
        Ok(tree)
    }

    fn await_start(&mut self) -> Result<(), NotStarted> {
        let name = self.name.clone();
        let reports = &mut self.reports;
        let first = self
            .runtime
            .block_on(async { tokio::time::timeout(START, next(reports)).await });
        match first {
            Ok(Some(Report::Started {
                containment,
                leader,
            })) => {
                self.containment = containment;
                self.leader = leader.and_then(sweep::identity);
                Ok(())
            }
            Ok(Some(Report::Refused { reason })) => Err(NotStarted::Refused(reason)),
            Ok(Some(Report::NotStarted { errno, reason })) => Err(ProcessError::Spawn {
                program: name,
                source: errno.map_or_else(
                    || std::io::Error::other(reason),
                    std::io::Error::from_raw_os_error,
                ),
            }
            .into()),
            _ => {
                self.end_warden();
                self.sweep();
                Err(ProcessError::Spawn {
                    program: name,
                    source: std::io::Error::other("its warden did not answer"),
                }
                .into())
            }
        }
    }

    /// A way to tell the warden from another thread.
    ///
    /// # Errors
    /// [`ProcessError::Io`] when there are no more descriptors.
    pub fn handle(&self) -> Result<Handle, ProcessError> {
        self.handle
            .try_clone()
            .map(Handle)
            .map_err(|error| ProcessError::io("talk to the warden", error))
    }

    /// Waits for the end of the tree. `cancel` ends it.
    ///
    /// # Errors
    /// [`ProcessError::Undrained`] when the warden itself was killed or is silent; whatever it left
    /// was killed as far as this process can.
    pub fn wait(mut self, cancel: &Cancel) -> Result<Ended, ProcessError> {
        let (stdout, stderr) = (self.warden.stdout.take(), self.warden.stderr.take());
        let handle = self.handle()?;
        let limit = self
            .wall
            .saturating_add(sweep::DRAIN)
            .saturating_add(SILENCE);
        let mut kept = (kept(self.streams.0), kept(self.streams.1));
        let reports = &mut self.reports;
        let report = self.runtime.block_on(async {
            let streams = pump_both(stdout, stderr, &mut kept);
            tokio::pin!(streams);
            let report = report(reports, &handle, cancel, limit);
            tokio::pin!(report);
            tokio::select! {
                report = &mut report => {
                    // The tree is gone, so its streams end; if not, somebody outside holds them.
                    let _ = tokio::time::timeout(STREAMS, &mut streams).await;
                    report
                }
                () = &mut streams => report.await,
            }
        });
        self.end_warden();
        let Some(Report::Ended {
            cause,
            leader,
            empty,
            out_of_memory,
            wall_millis,
        }) = report
        else {
            self.sweep();
            return Err(ProcessError::Undrained {
                program: self.name.clone(),
                reason: "its warden was killed or did not answer".into(),
            });
        };
        Ok(Ended {
            cause,
            leader,
            empty,
            containment: self.containment,
            out_of_memory,
            wall_millis,
            stdout: kept.0,
            stderr: kept.1,
        })
    }

    /// Waits for the warden's own end, which follows its report at once, and ends it by force when
    /// it does not.
    fn end_warden(&mut self) {
        let warden = &mut self.warden;
        self.runtime.block_on(async {
            let moment = Duration::from_millis(500);
            if tokio::time::timeout(moment, warden.wait()).await.is_err() {
                let _ = warden.start_kill();
                let _ = tokio::time::timeout(SILENCE, warden.wait()).await;
            }
        });
    }

    /// What a killed warden left has come to this process, if it adopts; the program's own session
    /// is found in any case.
    fn sweep(&self) {
        if let Some(leader) = self.leader {
            sweep::end_session(leader);
        }
        if self.adoption.is_some() {
            sweep::drain(sweep::DRAIN);
        }
    }
}

impl Drop for Tree {
    /// A tree that nobody waits for is ended: the warden sees its socket close.
    fn drop(&mut self) {
        let _ = self.handle.shutdown(std::net::Shutdown::Both);
    }
}

fn spawn_warden(
    job: &Job<'_>,
    supervision: &Supervision<'_>,
    control: OwnedFd,
) -> Result<tokio::process::Child, ProcessError> {
    let stdio = |stream| match stream {
        Stream::Null => Stdio::null(),
        Stream::Inherit => Stdio::inherit(),
        Stream::Keep { .. } => Stdio::piped(),
    };
    tokio::process::Command::new(supervision.binary)
        .arg("internal-warden")
        .arg0("amiss")
        .env_clear()
        .stdin(Stdio::from(control))
        .stdout(stdio(job.stdout))
        .stderr(stdio(job.stderr))
        .spawn()
        .map_err(|source| ProcessError::Spawn {
            program: supervision.binary.display().to_string(),
            source,
        })
}

/// Sends the order, with the input and the held handle beside its first byte.
fn send(socket: &UnixStream, job: &Job<'_>, cgroup: bool) -> Result<(), ProcessError> {
    let refused = |error: std::io::Error| ProcessError::io("order the warden", error);
    let program = job.program;
    let order = Order {
        program: program.program.clone(),
        arguments: program.arguments.clone(),
        directory: program.directory.clone().map(Into::into),
        environment: program.environment.clone(),
        wall_millis: millis(job.wall),
        window_millis: job.window.map(millis),
        caps: job.caps.clone(),
        cgroup,
    };
    let mut line = serde_json::to_vec(&order).map_err(|error| refused(error.into()))?;
    line.push(b'\n');
    let input = match job.input {
        Input::Null => File::open("/dev/null").map_err(refused)?,
        Input::Bytes(bytes) => unnamed(bytes).map_err(refused)?,
    };
    let mut handles = vec![input.as_fd()];
    handles.extend(job.held);
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    beside.push(SendAncillaryMessage::ScmRights(&handles));
    let sent = rustix::net::sendmsg(
        socket,
        &[IoSlice::new(&line)],
        &mut beside,
        SendFlags::empty(),
    )
    .map_err(|errno| refused(errno.into()))?;
    let rest = line.get(sent..).unwrap_or_default();
    (&*socket).write_all(rest).map_err(refused)
}

/// A file without a name that holds these bytes.
fn unnamed(bytes: &[u8]) -> std::io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// The warden's last word. After `cancel` and after `limit` it has [`SILENCE`] to say it.
async fn report(
    reports: &mut BufReader<tokio::net::UnixStream>,
    handle: &Handle,
    cancel: &Cancel,
    limit: Duration,
) -> Option<Report> {
    let last = next(reports);
    tokio::pin!(last);
    tokio::select! {
        report = &mut last => return report,
        () = cancel.cancelled() => {}
        () = tokio::time::sleep(limit) => {}
    }
    handle.kill();
    let patience = sweep::DRAIN.saturating_add(SILENCE);
    tokio::time::timeout(patience, last).await.unwrap_or(None)
}

async fn next(reports: &mut BufReader<tokio::net::UnixStream>) -> Option<Report> {
    let mut line = Vec::new();
    reports.read_until(b'\n', &mut line).await.ok()?;
    serde_json::from_slice(&line).ok()
}

async fn pump_both(
    stdout: Option<impl AsyncRead + Unpin>,
    stderr: Option<impl AsyncRead + Unpin>,
    kept: &mut (Captured, Captured),
) {
    tokio::join!(pump(stdout, &mut kept.0), pump(stderr, &mut kept.1));
}

fn kept(stream: Stream) -> Captured {
    match stream {
        Stream::Keep { head, tail } => Captured::new(head, tail),
        Stream::Null | Stream::Inherit => Captured::default(),
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
