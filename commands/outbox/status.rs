//! `amiss outbox status`: what is pending, since when, why, and what happens next.

use amiss::outbox::{Health, OriginHealth, Shown, State, StatusReport, Task, Watcher, span};
use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};

use crate::args::{HostRootArgs, TimeArgs};
use crate::failure::Failure;
use crate::stream::{Output, Status, Words, fail, note, words};

const HELP: &str = "\
A table on a terminal, JSON elsewhere. With --verbose also the origin's last words, redacted. A task \
of which the outbox holds nothing is an empty answer, with a note on standard error.

Example:
  amiss outbox status --task t1 --format json --host-root /var/lib/amiss-host";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,
    #[command(flatten)]
    time: TimeArgs,

    /// Only this task
    #[arg(long, value_name = "T")]
    task: Option<Task>,

    /// How to answer; a table on a terminal and JSON elsewhere unless said
    #[arg(long, value_name = "FORM")]
    format: Option<Form>,
}

/// How to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One JSON document.
    Json,
    /// For a person.
    Table,
}

pub fn run(arguments: Arguments) -> Status {
    let mut output = Output::new();
    let form = match (arguments.format, output.is_terminal()) {
        (Some(form), _) => form,
        (None, true) => Form::Table,
        (None, false) => Form::Json,
    };
    match (status(arguments), form) {
        (Ok(report), Form::Json) => output.print(&report),
        (Ok(report), Form::Table) => output.write_line(&table(&report)),
        (Err(failure), _) => fail(failure),
    }
}

/// Tells a person who may have mistyped a task: to a script it is a task of which nothing is left.
pub fn note_if_unknown(task: &Task, report: &StatusReport) {
    if report.deliveries.is_empty() {
        note(&format!(
            "amiss: the outbox holds no delivery of task {task}"
        ));
    }
}

fn status(arguments: Arguments) -> Result<StatusReport, Failure> {
    let Arguments {
        root, time, task, ..
    } = arguments;
    let with_stderr = words() == Words::Many;
    let report = root
        .open()?
        .status(task.as_ref(), with_stderr, time.clock().as_ref())?;
    if let Some(task) = &task {
        note_if_unknown(task, &report);
    }
    Ok(report)
}

fn table(report: &StatusReport) -> String {
    let mut parts = Vec::new();
    if report.deliveries.is_empty() {
        parts.push("no deliveries".to_owned());
    } else {
        parts.push(deliveries(report));
        parts.push(origins(&report.origins));
    }
    for detail in &report.details {
        if let Some(stderr) = &detail.stderr {
            parts.push(format!(
                "{} {} said:\n{}",
                detail.task_id,
                detail.turn_id,
                printable(stderr)
            ));
        }
    }
    if let Some(oldest) = report.oldest_age_millis {
        parts.push(format!("oldest not delivered: {}", span(oldest)));
    }
    parts.push(watcher(report));
    parts.join("\n\n")
}

/// The origin's words with nothing in them that could steer a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '\n' => '\n',
            letter if letter.is_control() => '\u{fffd}',
            letter => letter,
        })
        .collect()
}

fn deliveries(report: &StatusReport) -> String {
    let mut table = plain(&[
        "PROJECT", "TASK", "TURN", "STATE", "ORIGIN", "BRANCH", "COMMIT", "WAITING", "WHY", "NEXT",
    ]);
    for (shown, detail) in report.deliveries.iter().zip(&report.details) {
        let (project, task) = (detail.project_id.to_string(), detail.task_id.to_string());
        let turn = detail.turn_id.to_string();
        let waiting = detail.age_millis.map_or_else(|| "-".to_owned(), span);
        let next = printable(&detail.next);
        match shown {
            Shown::Good(delivery) => table.add_row([
                project,
                task,
                turn,
                state(delivery.state, delivery.superseded_by.is_some()).to_owned(),
                delivery.origin.without_user(),
                delivery.target.trim_start_matches("refs/heads/").to_owned(),
                delivery.oid.as_str().chars().take(12).collect(),
                waiting,
                delivery
                    .last_error
                    .as_ref()
                    .map_or_else(|| "-".to_owned(), |error| printable(error.as_str())),
                next,
            ]),
            Shown::Unreadable {
                state, last_error, ..
            } => table.add_row([
                project,
                task,
                turn,
                (*state).to_owned(),
                "-".into(),
                "-".into(),
                "-".into(),
                waiting,
                last_error.to_string(),
                next,
            ]),
        };
    }
    table.to_string()
}

const fn state(state: State, superseded: bool) -> &'static str {
    match (state, superseded) {
        (State::Delivered, true) => "superseded",
        (other, _) => other.name(),
    }
}

fn origins(origins: &[OriginHealth]) -> String {
    let mut table = plain(&[
        "ORIGIN",
        "HEALTH",
        "PENDING",
        "RETRYING",
        "FAILED",
        "DELIVERED",
        "OLDEST",
        "WHY",
    ]);
    for origin in origins {
        let health = match origin.health {
            Health::Ok => "ok",
            Health::Failing => "failing",
            Health::Unknown => "unknown",
        };
        table.add_row([
            origin.origin.clone(),
            health.to_owned(),
            origin.pending.to_string(),
            origin.retrying.to_string(),
            origin.failed.to_string(),
            origin.delivered.to_string(),
            origin
                .oldest_age_millis
                .map_or_else(|| "-".to_owned(), span),
            origin
                .last_error
                .as_ref()
                .map_or_else(|| "-".to_owned(), |error| printable(error.as_str())),
        ]);
    }
    table.to_string()
}

fn watcher(report: &StatusReport) -> String {
    let who = match &report.watcher {
        Watcher::Running { identity } => format!("running (process {})", identity.pid),
        Watcher::Dead { identity } => format!("process {} is gone", identity.pid),
        Watcher::None => "none".to_owned(),
        Watcher::Unreadable => "its identity is unreadable (`amiss outbox doctor`)".to_owned(),
    };
    let enabled = if report.enabled {
        "wanted"
    } else {
        "not wanted"
    };
    format!("watcher: {who}; after a reboot: {enabled}")
}

fn plain(heads: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(heads);
    table
}
