//! The warden's own life: one order, one program, one report.

use std::fs::File;
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::pin::Pin;
use std::process::Stdio;
use std::time::{Duration, Instant};

use processkit::{
    LimitVerdict, Mechanism, Outcome, ProcessGroup, ProcessGroupOptions, RlimitResource,
};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::signal::unix::{SignalKind, signal};

use super::super::error::ProcessError;
use super::super::run::{heed_children, patiently, system_error};
use super::message::{Caps, Cause, Containment, Leader, Order, Report, Word};
use super::sweep;
use crate::clock::since_boot;

/// The longest order: arguments and environment of one program.
const MAX_ORDER_BYTES: usize = 4 * 1024 * 1024;
/// How often the window is looked at: a timer alone would sleep through a suspended machine.
const LOOK: Duration = Duration::from_millis(250);
/// How often ended orphans are reaped while the program runs.
const REAP: Duration = Duration::from_millis(100);

/// Serves the one order that comes on standard input, a socket. Returns when the tree is empty or
/// cannot be emptied; the report has been given then.
///
/// # Errors
/// [`ProcessError::Io`] when standard input is not such a socket; nothing was started.
pub fn serve() -> Result<(), ProcessError> {
    let refused = |errno: rustix::io::Errno| ProcessError::io("serve as a warden", errno);
    // Out of the caller's session: a signal to its group or terminal is for `amiss` to act on.
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(refused)?;
    let control = rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), 3).map_err(refused)?;
    let (order, handles) = receive(&control)?;
    let mut handles = handles.into_iter();
    let input = match handles.next() {
        Some(input) => input,
        None => File::open("/dev/null")
            .map_err(|error| ProcessError::io("open /dev/null", error))?
            .into(),
    };
    rustix::stdio::dup2_stdin(&input).map_err(refused)?;
    drop(input);
    // Held until the tree is gone: what they own is not given up before.
    let _held: Vec<OwnedFd> = handles.collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| ProcessError::io("start a runtime", error))?;
    runtime.block_on(async {
        let control = std::os::unix::net::UnixStream::from(control);
        let asynchronous = control
            .set_nonblocking(true)
            .and_then(|()| UnixStream::from_std(control));
        let control = asynchronous.map_err(|error| ProcessError::io("serve as a warden", error))?;
        let (read, write) = control.into_split();
        // Whoever stops a whole service signals us too; the end of the tree is for our owner to say.
        // A handler, not a mask: the program starts with the signals' own meaning.
        for kind in [
            SignalKind::terminate(),
            SignalKind::interrupt(),
            SignalKind::hangup(),
        ] {
            let _ = signal(kind);
        }
        heed_children();
        Warden {
            order,
            words: BufReader::new(read),
            answers: write,
        }
        .work()
        .await;
        Ok(())
    })
}

/// Reads the order and the handles beside it.
fn receive(control: &OwnedFd) -> Result<(Order, Vec<OwnedFd>), ProcessError> {
    let refused = |error: std::io::Error| ProcessError::io("read the warden's order", error);
    let mut handles = Vec::new();
    let mut text = Vec::new();
    let mut chunk = vec![0_u8; 64 * 1024];
    while !text.ends_with(b"\n") {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let received = rustix::net::recvmsg(
            control,
            &mut [IoSliceMut::new(&mut chunk)],
            &mut beside,
            receive_flags(),
        )
        .map_err(|errno| refused(errno.into()))?;
        for message in beside.drain() {
            if let RecvAncillaryMessage::ScmRights(fds) = message {
                handles.extend(fds);
            }
        }
        text.extend_from_slice(chunk.get(..received.bytes).unwrap_or_default());
        if received.bytes == 0 || text.len() > MAX_ORDER_BYTES {
            return Err(refused(std::io::ErrorKind::InvalidData.into()));
        }
    }
    let order = serde_json::from_slice(&text).map_err(|error| refused(error.into()))?;
    Ok((order, handles))
}

#[cfg(target_os = "linux")]
const fn receive_flags() -> RecvFlags {
    RecvFlags::CMSG_CLOEXEC
}

#[cfg(not(target_os = "linux"))]
const fn receive_flags() -> RecvFlags {
    RecvFlags::empty()
}

struct Warden {
    order: Order,
    words: BufReader<OwnedReadHalf>,
    answers: tokio::net::unix::OwnedWriteHalf,
}

/// A started program and what holds its tree.
struct Running {
    leader: Option<u32>,
    /// How the leader ends.
    end: Pin<Box<dyn Future<Output = Leader>>>,
    group: Option<ProcessGroup>,
    containment: Containment,
}

impl Warden {
    async fn work(mut self) {
        if let Some(nice) = self.order.caps.nice {
            // Inherited by everything that is started from here on.
            if let Err(errno) = rustix::process::setpriority_process(None, i32::from(nice)) {
                let reason = format!("the niceness {nice} is refused: {errno}");
                return self.say(&Report::Refused { reason }).await;
            }
        }
        let group = match self.group() {
            Ok(group) => group,
            Err(reason) => return self.say(&Report::Refused { reason }).await,
        };
        let started = Instant::now();
        let report = match start(&self.order, group).await {
            Ok(running) => {
                let report = Report::Started {
                    containment: running.containment,
                    leader: running.leader,
                };
                self.say(&report).await;
                self.watch(running, started).await
            }
            Err(error) => Report::NotStarted {
                errno: error.raw_os_error(),
                reason: error.to_string(),
            },
        };
        self.say(&report).await;
    }

    /// The group with its ceilings, if one is wanted, or the ceiling that cannot be had.
    fn group(&self) -> Result<Option<ProcessGroup>, String> {
        let caps = &self.order.caps;
        if !self.order.cgroup {
            if caps.processes.is_some() {
                return Err("a limit of processes cannot be enforced without a cgroup".into());
            }
            // Elsewhere there are no cgroups, and the group is all that holds the tree.
            if cfg!(target_os = "linux") {
                return Ok(None);
            }
        }
        let mut options = ProcessGroupOptions::default();
        if let Some(processes) = caps.processes {
            options = options.max_processes(processes);
        }
        let with_memory = match caps.memory_bytes {
            Some(bytes) => options.clone().max_memory(bytes),
            None => options.clone(),
        };
        ProcessGroup::with_options(with_memory)
            // Without the controller, each process's own limit does it.
            .or_else(|_| ProcessGroup::with_options(options))
            .map(Some)
            .map_err(|error| match caps.processes {
                Some(_) => format!("a limit of processes cannot be enforced here: {error}"),
                None => error.to_string(),
            })
    }

    async fn watch(&mut self, running: Running, started: Instant) -> Report {
        let Running {
            leader,
            mut end,
            group,
            ..
        } = running;
        let mut ended = None;
        let cause = tokio::select! {
            biased;
            how = &mut end => {
                ended = Some(how);
                Cause::Exit
            }
            cause = listen(&mut self.words, self.order.window_millis) => cause,
            () = tokio::time::sleep(Duration::from_millis(self.order.wall_millis)) => Cause::WallLimit,
            cause = reap(leader) => cause,
        };
        let wall_millis = millis(started);
        let killing = Instant::now();
        sweep::kill_children();
        let killed = group.as_ref().map(ProcessGroup::kill_all);
        if ended.is_none() {
            ended = tokio::time::timeout(sweep::DRAIN, &mut end).await.ok();
        }
        let empty = sweep::drain(sweep::DRAIN.saturating_sub(killing.elapsed()));
        Report::Ended {
            cause,
            leader: ended.unwrap_or(Leader::Unknown),
            empty: empty && proves(group.as_ref(), killed),
            out_of_memory: group.is_some_and(|group| out_of_memory(&group, &self.order.caps)),
            wall_millis,
        }
    }

    async fn say(&mut self, report: &Report) {
        let mut line = serde_json::to_vec(report).unwrap_or_default();
        line.push(b'\n');
        // If nobody listens any more, there is nobody to tell.
        let _ = self.answers.write_all(&line).await;
    }
}

/// Starts the program inside the group. Where the host lets a cgroup be made and not be joined, and
/// where none is wanted, it starts without: the subreaper holds it then.
async fn start(order: &Order, group: Option<ProcessGroup>) -> std::io::Result<Running> {
    let Some(group) = group else {
        return start_plain(order).await;
    };
    let in_cgroup = matches!(group.mechanism(), Mechanism::CgroupV2);
    let capped = order.caps.processes.is_some() || order.caps.memory_bytes.is_some();
    let first = patiently(async || group.start(&command(order)).await.map_err(system_error)).await;
    let child = match first {
        Ok(child) => child,
        Err(error) if in_cgroup && !capped => {
            drop(group);
            // If the program itself is the reason, it is so here too.
            return start_plain(order).await.map_err(|_| error);
        }
        Err(error) => return Err(error),
    };
    Ok(Running {
        leader: child.pid(),
        end: Box::pin(async {
            match child.wait().await {
                Ok(Outcome::Exited(status)) => Leader::Exited(status),
                Ok(Outcome::Signalled(Some(signal))) => Leader::Signalled(signal),
                _ => Leader::Unknown,
            }
        }),
        group: Some(group),
        containment: if in_cgroup {
            Containment::CgroupV2
        } else {
            WITHOUT_CGROUP
        },
    })
}

async fn start_plain(order: &Order) -> std::io::Result<Running> {
    let kit = command(order);
    let mut child = patiently(async || {
        let mut plain = kit.to_tokio_command().map_err(system_error)?;
        plain.stdin(Stdio::inherit()).spawn()
    })
    .await?;
    Ok(Running {
        leader: child.id(),
        end: Box::pin(async move {
            match child
                .wait()
                .await
                .map(|status| (status.code(), status.signal()))
            {
                Ok((Some(status), _)) => Leader::Exited(status),
                Ok((None, Some(signal))) => Leader::Signalled(signal),
                _ => Leader::Unknown,
            }
        }),
        group: None,
        containment: WITHOUT_CGROUP,
    })
}

#[cfg(target_os = "linux")]
const WITHOUT_CGROUP: Containment = Containment::Subreaper;
#[cfg(not(target_os = "linux"))]
const WITHOUT_CGROUP: Containment = Containment::ProcessGroup;

fn command(order: &Order) -> processkit::Command {
    let mut command = processkit::Command::new(&order.program)
        .args(&order.arguments)
        .env_clear()
        .envs(order.environment.iter().map(|(name, value)| (name, value)))
        .inherit_stdin()
        .stdout(processkit::StdioMode::Inherit)
        .stderr(processkit::StdioMode::Inherit)
        .setsid()
        .kill_on_parent_death();
    if let Some(directory) = &order.directory {
        command = command.current_dir(directory);
    }
    let limits = [
        (RlimitResource::Data, order.caps.memory_bytes),
        (RlimitResource::FileSize, order.caps.file_bytes),
        (RlimitResource::NoFile, order.caps.open_files),
    ];
    for (resource, limit) in limits {
        if let Some(limit) = limit {
            command = command.rlimit(resource, limit, limit);
        }
    }
    command
}

/// Waits for the owner's word, or for the end of the window or of the owner.
async fn listen(words: &mut BufReader<OwnedReadHalf>, window_millis: Option<u64>) -> Cause {
    let until = |millis: u64| since_boot().saturating_add(Duration::from_millis(millis));
    let mut end = window_millis.map(until);
    let mut line = String::new();
    loop {
        if end.is_some_and(|end| since_boot() >= end) {
            return Cause::Window;
        }
        let left = end.map_or(LOOK, |end| end.saturating_sub(since_boot()).min(LOOK));
        tokio::select! {
            // What was read before a cancelled turn stays in `line`.
            read = words.read_line(&mut line) => match read {
                Ok(count) if count > 0 => {
                    match serde_json::from_str(&line) {
                        Ok(Word::Extend(millis)) => end = Some(until(millis)),
                        Ok(Word::Kill) | Err(_) => return Cause::Told,
                    }
                    line.clear();
                }
                _ => return Cause::OwnerGone,
            },
            () = tokio::time::sleep(left), if end.is_some() => {}
        }
    }
}

/// Reaps adopted processes as they end, so that a program with many short-lived daemons does not
/// fill the process table. Never comes to an end.
async fn reap(leader: Option<u32>) -> Cause {
    let leader = leader
        .and_then(|pid| i32::try_from(pid).ok())
        .and_then(rustix::process::Pid::from_raw);
    let Ok(mut ended) = signal(SignalKind::child()) else {
        return std::future::pending().await;
    };
    loop {
        ended.recv().await;
        tokio::time::sleep(REAP).await;
        sweep::reap_adopted(leader);
    }
}

/// On Linux the kernel's word about our children says it all; elsewhere nobody is a subreaper, and
/// only the group knows.
#[cfg(target_os = "linux")]
fn proves(_group: Option<&ProcessGroup>, _killed: Option<processkit::Result<()>>) -> bool {
    true
}

#[cfg(not(target_os = "linux"))]
fn proves(group: Option<&ProcessGroup>, killed: Option<processkit::Result<()>>) -> bool {
    killed.is_some_and(|killed| killed.is_ok())
        && group.is_some_and(|group| group.members().is_ok_and(|members| members.is_empty()))
}

fn out_of_memory(group: &ProcessGroup, caps: &Caps) -> bool {
    caps.memory_bytes.is_some() && matches!(group.limit_evidence().memory(), LimitVerdict::Tripped)
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
