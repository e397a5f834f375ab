//! A word from outside that ends a run: SIGTERM and SIGINT, a lost lease, a caller's own reason.

use processkit::CancellationToken;
use tokio::signal::unix::{SignalKind, signal};

use super::error::ProcessError;

/// Once said, it stays said; every clone hears it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(CancellationToken);

impl Cancel {
    /// One that nobody has said yet.
    #[must_use]
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// One that SIGTERM and SIGINT to this process say. From here on these signals do not end this
    /// process by themselves: `afterwards` runs on a thread of its own once the word was said.
    ///
    /// # Errors
    /// [`ProcessError::Io`] when the system refuses the handlers or the thread that waits for them.
    pub fn on_termination(
        afterwards: impl FnOnce() + Send + 'static,
    ) -> Result<Cancel, ProcessError> {
        let cancel = Cancel::new();
        let heard = cancel.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .map_err(|source| ProcessError::io("wait for signals", source))?;
        let listen = |kind| {
            let _inside = runtime.enter();
            signal(kind).map_err(|source| ProcessError::io("wait for signals", source))
        };
        let mut terminate = listen(SignalKind::terminate())?;
        let mut interrupt = listen(SignalKind::interrupt())?;
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        _ = terminate.recv() => {}
                        _ = interrupt.recv() => {}
                    }
                });
                heard.cancel();
                afterwards();
            })
            .map_err(|source| ProcessError::io("wait for signals", source))?;
        Ok(cancel)
    }

    /// Says it.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether it was said.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Sleeps until it is said, without a single wake-up before.
    ///
    /// # Errors
    /// [`ProcessError::Io`] when the system gives no means to wait.
    pub fn wait(&self) -> Result<(), ProcessError> {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .map_err(|source| ProcessError::io("wait for a word", source))?
            .block_on(self.cancelled());
        Ok(())
    }

    pub(super) async fn cancelled(&self) {
        self.0.cancelled().await;
    }
}
