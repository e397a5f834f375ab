//! The command tree of one command alone.
//!
//! People use a fresh process per operation, and building the whole tree costs more than many an
//! operation. The commands of the flow are parsed by a tree that knows only them; whatever it does
//! not accept is parsed again by the whole tree, which has the words for it.

use clap::{Args, Command};

use crate::{ingress_verify, ledger, outbox, publish, refresh, run_bootstrap};

/// The tree, if the words name a command that has one.
pub fn tree(root: Command, words: &[&str]) -> Option<Command> {
    Some(root.subcommand(match words {
        ["ingress-verify", ..] => alone::<ingress_verify::Arguments>("ingress-verify"),
        ["refresh", ..] => alone::<refresh::Arguments>("refresh"),
        ["run-bootstrap", ..] => alone::<run_bootstrap::Arguments>("run-bootstrap"),
        ["publish", ..] => alone::<publish::Arguments>("publish"),
        ["ledger", inner, ..] => Command::new("ledger").subcommand(in_ledger(inner)?),
        ["outbox", inner, ..] => Command::new("outbox").subcommand(in_outbox(inner)?),
        _ => return None,
    }))
}

fn in_ledger(name: &str) -> Option<Command> {
    Some(match name {
        "claim" => alone::<ledger::claim::Arguments>("claim"),
        "renew" => alone::<ledger::renew::Arguments>("renew"),
        "stage" => alone::<ledger::stage::Arguments>("stage"),
        "complete" => alone::<ledger::complete::Arguments>("complete"),
        "show" => alone::<ledger::show::Arguments>("show"),
        _ => return None,
    })
}

fn in_outbox(name: &str) -> Option<Command> {
    Some(match name {
        "enqueue" => alone::<outbox::enqueue::Arguments>("enqueue"),
        "once" => alone::<outbox::once::Arguments>("once"),
        "wake" => alone::<outbox::wake::Arguments>("wake"),
        _ => return None,
    })
}

fn alone<A: Args>(name: &'static str) -> Command {
    A::augment_args(Command::new(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;

    /// The command that the words name, in a tree.
    fn found<'a>(tree: &'a Command, words: &[&str]) -> &'a Command {
        words
            .iter()
            .fold(tree, |inner, word| inner.find_subcommand(word).unwrap())
    }

    #[test]
    fn a_tree_of_one_command_takes_the_same_arguments_as_the_whole_one() {
        let whole = cli::tree();
        for words in [
            &["ingress-verify"][..],
            &["refresh"],
            &["run-bootstrap"],
            &["publish"],
            &["ledger", "claim"],
            &["ledger", "renew"],
            &["ledger", "stage"],
            &["ledger", "complete"],
            &["ledger", "show"],
            &["outbox", "enqueue"],
            &["outbox", "once"],
            &["outbox", "wake"],
        ] {
            let narrow = tree(Command::new("amiss"), words).unwrap();
            let describe = |command: &Command| {
                command
                    .get_arguments()
                    .map(|argument| format!("{argument:?}"))
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                describe(found(&narrow, words)),
                describe(found(&whole, words)),
                "{words:?}"
            );
        }
    }
}
