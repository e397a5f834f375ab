//! Goes through a whole root on all cores, keeping neither names nor rows (page 6.1).

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::error::LedgerError;
use super::root::Root;
use crate::durable::{DiskError, Entry};

/// Entries that one worker looks at before it hands its findings on.
const BATCH: usize = 256;
/// Batches that may wait on either side of the workers.
const WAITING: usize = 4;
/// More cores than this do not make a disk faster.
const MAX_WORKERS: usize = 8;

type Found<T> = Result<Vec<T>, LedgerError>;

impl Root {
    /// Looks at every entry of the root with `look`, on several threads, and hands what was found
    /// to `sink` on this one, in no order. The first error ends it.
    pub(super) fn scan<T: Send>(
        &self,
        look: &(dyn Fn(Entry) -> Result<Option<T>, LedgerError> + Sync),
        sink: &mut dyn FnMut(T) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let stopped = AtomicBool::new(false);
        let (to_workers, entries) = sync_channel::<Vec<Entry>>(WAITING);
        let (to_sink, found) = sync_channel::<Found<T>>(WAITING);
        let entries = Mutex::new(entries);
        thread::scope(|scope| {
            let mut started = 0_usize;
            for _ in 0..workers.clamp(1, MAX_WORKERS) {
                let to_sink = to_sink.clone();
                let (entries, stopped) = (&entries, &stopped);
                let worker = thread::Builder::new()
                    .spawn_scoped(scope, move || work(entries, look, &to_sink, stopped));
                match worker {
                    Ok(_) => started = started.saturating_add(1),
                    // One is enough; a system that gives no more only makes it slower.
                    Err(_) if started > 0 => break,
                    Err(error) => return Err(self.no_thread(error)),
                }
            }
            let stopped = &stopped;
            let producer = thread::Builder::new().spawn_scoped(scope, move || {
                if let Err(error) = self.produce(&to_workers, stopped) {
                    // Nobody listens any more only if there was an error before this one.
                    let _ = to_sink.send(Err(error));
                }
            });
            // Its end of the queue is gone with it, so the workers end too.
            producer.map_err(|error| self.no_thread(error))?;
            let done = self.consume(&found, sink);
            stopped.store(true, Ordering::Relaxed);
            // After an error workers may still wait to hand something on.
            for _ in &found {}
            done
        })
    }

    fn no_thread(&self, source: std::io::Error) -> LedgerError {
        let path = self.path().to_owned();
        let operation = "start a thread to look at";
        DiskError::Io {
            operation,
            path,
            source,
        }
        .into()
    }

    fn produce(
        &self,
        to_workers: &SyncSender<Vec<Entry>>,
        stopped: &AtomicBool,
    ) -> Result<(), LedgerError> {
        let mut batch = Vec::with_capacity(BATCH);
        self.dir.each_entry(|entry| {
            if stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
            batch.push(entry);
            if batch.len() >= BATCH {
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                // The workers outlive this loop.
                let _ = to_workers.send(full);
            }
            Ok::<(), LedgerError>(())
        })?;
        let _ = to_workers.send(batch);
        Ok(())
    }

    fn consume<T>(
        &self,
        found: &Receiver<Found<T>>,
        sink: &mut dyn FnMut(T) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let mut seen = 0_u64;
        for batch in found {
            for item in batch? {
                seen = seen.saturating_add(1);
                sink(item)?;
            }
            (self.options.on_progress)(seen);
        }
        Ok(())
    }
}

fn work<T>(
    entries: &Mutex<Receiver<Vec<Entry>>>,
    look: &(dyn Fn(Entry) -> Result<Option<T>, LedgerError> + Sync),
    to_sink: &SyncSender<Found<T>>,
    stopped: &AtomicBool,
) {
    loop {
        let next = match entries.lock() {
            Ok(entries) => entries.recv(),
            // Another worker panicked while it held the queue; the scope reports that.
            Err(_) => return,
        };
        let Ok(batch) = next else {
            return;
        };
        // Whoever lists must never wait for a worker that is gone: the rest is drained unseen.
        if stopped.load(Ordering::Relaxed) {
            continue;
        }
        let found: Found<T> = batch
            .into_iter()
            .filter_map(|entry| look(entry).transpose())
            .collect();
        let failed = found.is_err();
        if to_sink.send(found).is_err() || failed {
            stopped.store(true, Ordering::Relaxed);
        }
    }
}
