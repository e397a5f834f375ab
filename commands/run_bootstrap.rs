//! `amiss run-bootstrap`.

pub mod doctor;
mod options;
mod renewal;

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use amiss::clock::{Clock, SystemClock};
use amiss::code::Code;
use amiss::delivery::{Delivery, Envelope, Lease, RunFacts, SealKey};
use amiss::plan::LoadedPlan;
use amiss::process::Cancel;
use amiss::process::warden::{Supervision, adopt_orphans};
use amiss::run::scratch::{ScratchError, sweep};
use amiss::run::semantic::Templates;
use amiss::run::{Ran, Settings, Step, run_bootstrap};
use rustix::fs::OFlags;
use rustix::io::Errno;

pub use self::options::Arguments;
use self::renewal::Renewal;
use crate::args::warden_binary;
use crate::failure::Failure;
use crate::interrupt;
use crate::room::for_the_next_step;
use crate::stream::{Answer, Status, each_envelope, fail, note};

pub fn run(arguments: &Arguments) -> Status {
    if arguments.doctor {
        return doctor::run();
    }
    let prepared = match Prepared::of(arguments) {
        Ok(prepared) => prepared,
        Err(failure) => return fail(failure),
    };
    each_envelope(|mut envelope| {
        if !envelope.has("lease") {
            return Answer::done(envelope);
        }
        match prepared.step(&mut envelope) {
            Ok(()) => Answer::done(envelope),
            Err(failure) => {
                // What ran under a lease that is gone, or not to its end, is worth nothing.
                envelope.drop_members(&["outcome", "recheck"]);
                Answer::refused(envelope, failure)
            }
        }
    })
}

/// Everything that is the same for every document, read and checked once.
struct Prepared<'a> {
    arguments: &'a Arguments,
    plan: LoadedPlan,
    templates: Result<Templates, Failure>,
    key: Option<SealKey>,
    environment: Vec<(OsString, OsString)>,
    log: Option<File>,
    root: PathBuf,
    binary: PathBuf,
    cancel: Cancel,
}

impl Prepared<'_> {
    fn of(arguments: &Arguments) -> Result<Prepared<'_>, Failure> {
        let plan = LoadedPlan::load(&arguments.plan)?;
        let key = arguments.seal.load()?;
        let templates = Templates::read(&plan.plan, &arguments.templates()?);
        // A file that cannot be read is the operator's; a name too many or too few is the input's.
        let templates = match templates.map_err(Failure::from) {
            Err(failure) if failure.code == Code::ConfigInvalid => return Err(failure),
            templates => templates,
        };
        check_root(arguments)?;
        Ok(Prepared {
            arguments,
            plan,
            templates,
            key,
            environment: arguments.environment()?,
            log: arguments.log.as_deref().map(open_log).transpose()?,
            root: arguments.root.clone(),
            binary: warden_binary()?,
            cancel: interrupt::listen()?,
        })
    }

    fn step(&self, envelope: &mut Envelope) -> Result<(), Failure> {
        let delivery = envelope
            .need::<Delivery>("delivery")?
            .accept(self.key.as_ref())?;
        let lease: Lease = envelope.need("lease")?;
        let run: RunFacts = envelope.need("run")?;
        let templates = match &self.templates {
            Ok(templates) => templates,
            Err(failure) => return Err(failure.clone()),
        };
        if let Some(folder) = self.arguments.own_report_dir() {
            check_report_dir(folder)?;
        }
        // A place that cannot be used at all is the run's own error.
        let unswept = match sweep(&self.arguments.scratch) {
            Err(error @ ScratchError::Io { .. }) => Some(Failure::from(error).message),
            _ => None,
        };
        let now = match self.arguments.clock.time.now_unix_millis {
            Some(millis) => amiss::clock::UnixMillis::new(millis)?,
            None => SystemClock.now()?,
        };
        let settings = Settings {
            plan: &self.plan,
            repository: &self.arguments.repository,
            action_repository: &self.arguments.action_repository,
            scratch: &self.arguments.scratch,
            report_dir: self.arguments.report_dir(),
            templates,
            environment: &self.environment,
            caps: &self.arguments.caps(),
            supervision: Supervision {
                binary: &self.binary,
                cgroup: !self.arguments.without_cgroup,
                adoption: adopt_orphans(),
            },
            log: self.log.is_some(),
            cancel: &self.cancel,
        };
        let step = Step {
            delivery: &delivery,
            lease: &lease,
            run: &run,
            now,
        };
        let mut renewal = Renewal::new(self.arguments, &self.root, &delivery, &lease);
        let ran = run_bootstrap(&settings, &step, &mut renewal).map_err(Failure::from);
        // A dead run's directory is in nobody's way: what cannot be removed is only told, and not
        // told twice where the run says the same.
        let told = |message: &String| matches!(&ran, Err(failure) if failure.message == *message);
        if let Some(message) = unswept.filter(|message| !told(message)) {
            note(&format!("amiss: {message}"));
        }
        let ran = ran?;
        self.keep_log(&ran)?;
        envelope.drop_members(&["recheck"]);
        envelope.set("outcome", &ran.outcome)?;
        for_the_next_step(envelope)
    }

    /// Adds the bootstrap's own words to the log, without the values that it was given.
    fn keep_log(&self, ran: &Ran) -> Result<(), Failure> {
        let (Some(mut log), Some(words)) = (self.log.as_ref(), ran.log()) else {
            return Ok(());
        };
        // A shorter value says nothing and would blot out innocent words.
        let secrets: Vec<String> = self
            .environment
            .iter()
            .map(|(_, value)| value.to_string_lossy().into_owned())
            .filter(|value| value.len() >= 4)
            .collect();
        let secrets = secrets.iter().map(String::as_str);
        let mut text = amiss::git::redact(&words.text(), secrets, usize::MAX);
        text.push('\n');
        log.write_all(text.as_bytes())
            .map_err(|error| Failure::new(Code::Io, format!("cannot write the log: {error}")))
    }
}

/// A record root inside a judged tree could be changed by what is judged; and what a run writes
/// inside the root would be a file there that no root holds.
fn check_root(arguments: &Arguments) -> Result<(), Failure> {
    let root = &arguments.root;
    let Ok(real) = root.canonicalize() else {
        // Not there: the ledger says so in its own words.
        return Ok(());
    };
    let log = arguments.log.as_deref();
    let places = [
        ("scratch directory", Some(arguments.scratch.as_path())),
        ("report directory", arguments.own_report_dir()),
        ("log", log.map(folder_of)),
        // The log itself may be a link.
        ("log", log),
    ];
    for (what, place) in places {
        let place = place.and_then(|place| place.canonicalize().ok());
        if let Some(place) = place.filter(|place| place.starts_with(&real)) {
            let message = format!(
                "the {what} is at {}, in the record root {}, which holds nothing else",
                place.display(),
                root.display()
            );
            let hint = format!("choose a {what} outside of the root");
            return Err(Failure::new(Code::RootUnsafe, message).hint(hint));
        }
    }
    for tree in [&arguments.repository, &arguments.action_repository] {
        if tree.canonicalize().is_ok_and(|tree| real.starts_with(tree)) {
            let message = format!(
                "the record root {} is inside the tree {}, which the run reads",
                root.display(),
                tree.display()
            );
            return Err(Failure::new(Code::RootUnsafe, message).hint("move the root out of it"));
        }
    }
    Ok(())
}

/// The folder that a file is in.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => file,
    }
}

/// Where the report will be kept, looked at before the run and not after it.
fn check_report_dir(folder: &Path) -> Result<(), Failure> {
    if folder.is_dir() {
        return Ok(());
    }
    let folder = folder.display();
    let message = format!("the report directory {folder} is not there, or is no directory");
    Err(Failure::new(Code::NotFound, message).hint(format!("mkdir -m 700 {folder}")))
}

/// Opens the log: a file, a terminal or another device, or the pipe that is our standard error.
fn open_log(path: &Path) -> Result<File, Failure> {
    let refused = |reason: &str| {
        let message = format!("cannot write the log {}: {reason}", path.display());
        Failure::new(Code::ConfigInvalid, message)
    };
    let no_file = || refused("it is no regular file").hint("name a file");
    // Without blocking: a pipe that nobody reads would be waited for.
    let flags = OFlags::NONBLOCK | OFlags::CLOEXEC;
    let log = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or_default())
        .open(path)
        .map_err(|error| match error.raw_os_error() {
            Some(number) if number == Errno::NXIO.raw_os_error() => no_file(),
            _ => refused(&error.to_string()),
        })?;
    let facts = log
        .metadata()
        .map_err(|error| refused(&error.to_string()))?;
    let kind = facts.file_type();
    if !(kind.is_file() || kind.is_char_device() || is_stderr(&facts)) {
        return Err(no_file());
    }
    // The words are written in one piece, also where that has to wait.
    rustix::fs::fcntl_setfl(&log, OFlags::APPEND)
        .map_err(|errno| refused(&std::io::Error::from(errno).to_string()))?;
    Ok(log)
}

/// Whether a file is what standard error leads to.
fn is_stderr(facts: &Metadata) -> bool {
    rustix::fs::fstat(std::io::stderr())
        .is_ok_and(|ours| ours.st_ino == facts.ino() && ours.st_dev == facts.dev())
}
