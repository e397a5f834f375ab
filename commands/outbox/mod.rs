//! `amiss outbox …`: one file per command.

pub mod baseline;
pub mod close;
mod disable;
pub mod doctor;
pub mod enable;
pub mod enqueue;
pub mod gc;
pub mod once;
pub mod retry;
mod status;
pub mod wake;
mod watch;
pub mod write_agent;

use clap::Subcommand;

use crate::stream::Status;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Record a push durably, with its pin
    Enqueue(enqueue::Arguments),
    /// Sync a mirror's objects before its first enqueue
    Baseline(baseline::Arguments),
    /// Run one pump cycle
    Once(once::Arguments),
    /// Push what is due, until stopped
    Watch(watch::Arguments),
    /// Make sure that a live watcher runs
    Wake(wake::Arguments),
    /// Mark the watcher as wanted after a reboot
    Enable(enable::Arguments),
    /// Take that mark away
    Disable(disable::Arguments),
    /// What is pending, since when, why, and what happens next
    Status(status::Arguments),
    /// Try failed deliveries again
    Retry(retry::Arguments),
    /// Close a task
    Close(close::Arguments),
    /// Collect what is no longer needed
    Gc(gc::Arguments),
    /// Find what is wrong, and what to do
    Doctor(doctor::Arguments),
    /// Write a LaunchAgent or a systemd unit
    WriteAgent(write_agent::Arguments),
}

pub fn run(command: Command) -> Status {
    match command {
        Command::Enqueue(arguments) => enqueue::run(arguments),
        Command::Baseline(arguments) => baseline::run(arguments),
        Command::Once(arguments) => once::run(&arguments),
        Command::Watch(arguments) => watch::run(&arguments),
        Command::Wake(arguments) => wake::run(&arguments),
        Command::Enable(arguments) => enable::run(arguments),
        Command::Disable(arguments) => disable::run(arguments),
        Command::Status(arguments) => status::run(arguments),
        Command::Retry(arguments) => retry::run(arguments),
        Command::Close(arguments) => close::run(arguments),
        Command::Gc(arguments) => gc::run(arguments),
        Command::Doctor(arguments) => doctor::run(arguments),
        Command::WriteAgent(arguments) => write_agent::run(arguments),
    }
}
