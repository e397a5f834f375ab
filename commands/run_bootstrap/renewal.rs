//! The heartbeat of a run through the record.

use std::path::Path;
use std::time::Duration;

use amiss::clock::{Clock, ClockError, FixedClock, SystemClock, UnixMillis};
use amiss::delivery::{AcceptedDelivery, Lease};
use amiss::ledger::DeliveryLedger;
use amiss::ledger::file::FileLedger;
use amiss::run::heartbeat::{Proven, Renew, Stop};

use super::Arguments;
use crate::args::RootArgs;
use crate::failure::Failure;
use crate::ledger::{ExpectArgs, open_root};

/// The clock of this call, which may go to another thread.
#[derive(Clone, Copy)]
struct CallClock(Option<i64>);

impl Clock for CallClock {
    fn now(&self) -> Result<UnixMillis, ClockError> {
        match self.0 {
            Some(millis) => FixedClock(millis).now(),
            None => SystemClock.now(),
        }
    }
}

/// One lease and the record that proves it.
pub struct Renewal {
    ledger: Result<FileLedger<CallClock>, Failure>,
    delivery: AcceptedDelivery,
    lease: Lease,
}

impl Renewal {
    pub fn new(
        arguments: &Arguments,
        root: &Path,
        delivery: &AcceptedDelivery,
        lease: &Lease,
    ) -> Renewal {
        let root = RootArgs {
            root: root.to_owned(),
            lock_timeout: arguments.lock_timeout,
        };
        let clock = CallClock(arguments.clock.time.now_unix_millis);
        let ledger = open_root(&root, &ExpectArgs::none(), Some(&arguments.clock))
            .map(|root| FileLedger::new(root, clock));
        Renewal {
            ledger,
            delivery: delivery.clone(),
            lease: lease.clone(),
        }
    }
}

impl Renew for Renewal {
    fn renew(&mut self) -> Result<Proven, Stop> {
        let ledger = match &mut self.ledger {
            Ok(ledger) => ledger,
            Err(failure) => return Err(Stop::new(failure.message.clone())),
        };
        let answer = ledger
            .renew(&self.delivery, &self.lease)
            .map_err(|error| Stop::new(Failure::from(error).message))?;
        match answer {
            amiss::ledger::Renewal::Renewed {
                lease,
                within_millis,
            } => {
                self.lease = lease;
                Proven::new(Duration::from_millis(within_millis))
                    .ok_or_else(|| Stop::new("the renewal left no time"))
            }
            amiss::ledger::Renewal::Lost(reason) => Err(Stop::new(reason.to_string())),
        }
    }
}
