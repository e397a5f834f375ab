//! The loop of a watcher.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::Scope;
use std::time::{Duration, Instant};

use super::folder::watch_folder;
use super::{Binary, Ended, Event, EventError, EventKind, Listener, WatchOptions, tell_stop};
use crate::clock::UnixMillis;
use crate::outbox::error::OutboxError;
use crate::outbox::metrics::Metrics;
use crate::outbox::once::GRACE;
use crate::outbox::origin::Origin;
use crate::outbox::pump::{Job, Pump, PumpError, Report, Verdict};
use crate::outbox::root::PumpLock;
use crate::outbox::schedule::{Heard, Plan, Schedule};
use crate::outbox::worker::{ProcessIdentity, WorkerIdentity};

/// How often the due folder is looked into when nothing is heard.
const POLL: Duration = Duration::from_secs(30);
/// The same where the system gives no notification.
const DEAF_POLL: Duration = Duration::from_secs(2);
/// A replaced program must have been so for this long: it may still be being written.
const SETTLED: Duration = Duration::from_millis(500);

/// What wakes the loop.
enum Signal {
    /// Something changed in the due folder.
    Changed(Heard),
    /// A result is durable.
    Reported(Box<Report>),
    /// A job is over.
    Over(Origin),
    /// The word to stop.
    Stop,
}

/// Whether it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Working,
    /// Told to stop at this time: nothing new is begun.
    Stopping(Instant),
    /// Its program was replaced: nothing new is begun, what is in work is finished.
    HandingOver,
}

pub(super) struct Watcher<'w> {
    pump: &'w Pump,
    held: &'w PumpLock,
    options: &'w WatchOptions,
    listener: &'w mut dyn Listener,
    schedule: Schedule,
    /// What may have changed since the last look.
    heard: Heard,
    /// When the whole due folder was last listed.
    listed: Option<Instant>,
    metrics: Metrics,
    identity: Option<WorkerIdentity>,
    phase: Phase,
    replaced_since: Option<Instant>,
    idle_said: bool,
    deaf: bool,
    killed: bool,
}

impl<'w> Watcher<'w> {
    pub(super) fn new(
        pump: &'w Pump,
        held: &'w PumpLock,
        options: &'w WatchOptions,
        listener: &'w mut dyn Listener,
    ) -> Watcher<'w> {
        let identity = ProcessIdentity::of_this_process().map(|identity| WorkerIdentity {
            identity,
            watch: true,
            binary: options
                .binary
                .as_ref()
                .map(|binary| binary.identity().clone()),
        });
        Watcher {
            pump,
            held,
            options,
            listener,
            schedule: Schedule::new(),
            heard: Heard::Anything,
            listed: None,
            metrics: Metrics::default(),
            identity,
            phase: Phase::Working,
            replaced_since: None,
            idle_said: false,
            deaf: false,
            killed: false,
        }
    }

    /// Works until stopped. `folder` is the due folder.
    pub(super) fn run(mut self, folder: &Path) -> Result<Ended, PumpError> {
        let (tell, heard) = mpsc::channel();
        let changed = tell.clone();
        // Before the first look, so that nothing falls between the two.
        let notification = watch_folder(folder, move |heard| {
            let _ = changed.send(Signal::Changed(heard));
        });
        self.deaf = notification.is_none();
        if self.deaf {
            self.listener.trouble(
                "the system gives no notification of changes in the due folder; it is looked into \
                 every 2 s instead",
            );
        }
        let stopped = tell.clone();
        tell_stop(&self.options.settings.stop, move || {
            let _ = stopped.send(Signal::Stop);
        })?;
        // Whoever waits for a watcher need not wait for the length of its history.
        self.publish()?;
        self.pump.root.recover(&self.options.settings.stop)?;
        self.options.service.tell("READY=1\nSTATUS=watching");
        self.emit(EventKind::Ready, None)?;
        let ended = std::thread::scope(|scope| {
            let ended = self.work(scope, &tell, &heard);
            if ended.is_err() {
                // Nobody waits for these jobs any more.
                self.pump.kill();
            }
            ended
        });
        self.options.service.tell("STOPPING=1");
        self.pump.root.remove_worker(self.held)?;
        drop(notification);
        let ended = ended?;
        self.emit(EventKind::Stopped, None)?;
        Ok(ended)
    }

    fn work<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, '_>,
        tell: &Sender<Signal>,
        heard: &Receiver<Signal>,
    ) -> Result<Ended, PumpError>
    where
        'w: 'scope,
    {
        loop {
            let started = Instant::now();
            let plan = self.look(started)?;
            let next = plan.next;
            self.dispatch(scope, tell, plan.jobs);
            if let Some(ended) = self.ended() {
                return Ok(ended);
            }
            self.say_idle()?;
            self.write_metrics();
            // A look into a large folder is not repeated faster than it is made.
            let rest = started.elapsed();
            let first = heard.recv_timeout(self.patience(next));
            self.take(first)?;
            if rest > Duration::from_millis(5) {
                std::thread::sleep(rest.min(Duration::from_millis(500)));
            }
            while let Ok(signal) = heard.try_recv() {
                self.take(Ok(signal))?;
            }
            self.keep_up()?;
        }
    }

    fn look(&mut self, at: Instant) -> Result<Plan, PumpError> {
        let now = self.now()?;
        let overdue = |listed: Instant| at.saturating_duration_since(listed) >= self.poll();
        if self.listed.is_none_or(overdue) {
            self.heard = Heard::Anything;
        }
        let heard = std::mem::take(&mut self.heard);
        if heard == Heard::Anything {
            self.listed = Some(at);
        }
        let room = match self.phase {
            Phase::Working => {
                let jobs = self.pump.settings.jobs.max(1);
                jobs.saturating_sub(self.schedule.occupied())
            }
            Phase::Stopping(_) | Phase::HandingOver => 0,
        };
        let plan = self
            .schedule
            .look(&self.pump.root, &heard, room, (now, at))?;
        self.metrics.look(&plan, now, self.schedule.occupied());
        Ok(plan)
    }

    fn dispatch<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, '_>,
        tell: &Sender<Signal>,
        jobs: Vec<Job>,
    ) where
        'w: 'scope,
    {
        for job in jobs {
            self.schedule.occupy(&job.origin);
            self.idle_said = false;
            let (pump, tell) = (self.pump, tell.clone());
            scope.spawn(move || {
                pump.run_job(&job, &mut |report| {
                    let _ = tell.send(Signal::Reported(Box::new(report)));
                });
                let _ = tell.send(Signal::Over(job.origin));
            });
        }
    }

    fn take(&mut self, signal: Result<Signal, RecvTimeoutError>) -> Result<(), PumpError> {
        match signal {
            Ok(Signal::Over(origin)) => self.schedule.free(&origin),
            Ok(Signal::Reported(report)) => self.report(*report)?,
            Ok(Signal::Stop) => {
                if !matches!(self.phase, Phase::Stopping(_)) {
                    self.phase = Phase::Stopping(Instant::now());
                }
            }
            Ok(Signal::Changed(heard)) => self.heard.add(heard),
            // The next look answers it.
            Err(_) => {}
        }
        Ok(())
    }

    fn report(&mut self, report: Report) -> Result<(), PumpError> {
        self.metrics.count(&report);
        self.heard.add_name(report.key.due_name());
        let kind = match report.verdict {
            Verdict::Delivered => EventKind::Pushed,
            Verdict::Superseded => EventKind::Superseded,
            Verdict::Retrying => EventKind::Retrying,
            Verdict::Failed => EventKind::Failed,
            Verdict::Skipped => {
                if let Some(code) = report.error.filter(|_| self.phase == Phase::Working) {
                    let words = format!("delivery {} is left alone for now: {code}", report.key);
                    self.listener.trouble(&words);
                    self.schedule.leave_alone(report.key, Instant::now());
                }
                return Ok(());
            }
        };
        if matches!(
            kind,
            EventKind::Pushed | EventKind::Superseded | EventKind::Failed
        ) {
            self.schedule.forget(&report.key);
        }
        self.emit(kind, Some(&report))
    }

    /// What is due besides pushes: the watchdog, the identity, a replaced program, an overdue stop.
    fn keep_up(&mut self) -> Result<(), PumpError> {
        self.options.service.tell("WATCHDOG=1");
        match self.phase {
            Phase::Stopping(since) if since.elapsed() >= GRACE && !self.killed => {
                self.killed = true;
                self.pump.kill();
            }
            Phase::Stopping(_) | Phase::HandingOver => {}
            Phase::Working => {
                self.notice_replacement();
                self.publish()?;
            }
        }
        Ok(())
    }

    fn notice_replacement(&mut self) {
        let replaced = self.options.binary.as_ref().and_then(Binary::replaced);
        match (replaced, self.replaced_since) {
            (None, _) => self.replaced_since = None,
            (Some(_), None) => self.replaced_since = Some(Instant::now()),
            (Some(_), Some(since)) if since.elapsed() >= SETTLED => {
                self.phase = Phase::HandingOver;
            }
            (Some(_), Some(_)) => {}
        }
    }

    fn ended(&self) -> Option<Ended> {
        if self.schedule.occupied() > 0 {
            return None;
        }
        match self.phase {
            Phase::Working => None,
            Phase::Stopping(_) => Some(Ended::Stopped),
            Phase::HandingOver => Some(
                self.options
                    .binary
                    .as_ref()
                    .map_or(Ended::Stopped, |binary| {
                        Ended::HandOver(binary.path().to_owned())
                    }),
            ),
        }
    }

    /// How often the whole due folder is listed.
    const fn poll(&self) -> Duration {
        if self.deaf { DEAF_POLL } else { POLL }
    }

    /// How long the loop may sleep.
    fn patience(&self, next: Option<Duration>) -> Duration {
        let since = self.listed.map_or(Duration::ZERO, |at| at.elapsed());
        let mut patience = self.poll().saturating_sub(since);
        if self.phase == Phase::Working {
            patience = patience.min(next.unwrap_or(POLL));
        }
        if let Some(pace) = self.options.service.pace() {
            patience = patience.min(pace);
        }
        match self.phase {
            Phase::Stopping(since) if !self.killed => {
                patience.min(GRACE.saturating_sub(since.elapsed()))
            }
            _ if self.replaced_since.is_some() => patience.min(SETTLED),
            _ => patience,
        }
    }

    /// Publishes the identity, unless it stands there already.
    fn publish(&mut self) -> Result<(), PumpError> {
        let Some(identity) = &self.identity else {
            return Ok(());
        };
        let stands =
            matches!(self.pump.root.read_worker(), Ok(Some(present)) if present == *identity);
        if !stands {
            self.pump.root.write_worker(self.held, identity)?;
        }
        Ok(())
    }

    fn say_idle(&mut self) -> Result<(), PumpError> {
        if self.schedule.occupied() == 0 && !self.idle_said {
            self.idle_said = true;
            self.emit(EventKind::Idle, None)?;
        }
        Ok(())
    }

    fn write_metrics(&mut self) {
        if let Some(path) = &self.options.metrics
            && let Err(error) = self.metrics.write_if_changed(path)
        {
            let words = format!("cannot write the metrics to {}: {error}", path.display());
            self.listener.trouble(&words);
        }
    }

    fn emit(&mut self, kind: EventKind, report: Option<&Report>) -> Result<(), PumpError> {
        let event = Event {
            event: kind,
            unix_millis: self.now()?,
            delivery: report.map(|report| report.delivery.clone()),
            error: report
                .and_then(|report| report.error)
                .map(|code| EventError {
                    code,
                    message: code.meaning(),
                }),
        };
        self.listener.event(&event);
        Ok(())
    }

    fn now(&self) -> Result<UnixMillis, PumpError> {
        Ok(self.pump.clock.now().map_err(OutboxError::from)?)
    }
}
