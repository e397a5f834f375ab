//! Report bytes: streamed in pieces, both digests in one pass (page 3.3, 3.4).

use std::io::Read;

use sha2::{Digest as _, Sha256};

use super::error::LedgerError;
use super::names;
use super::root::Root;
use super::row::ReportReference;
use crate::delivery::DeliveryKey;
use crate::delivery::digest::{Digest, DomainHash, Sha256Hex};
use crate::delivery::outcome::MAX_REPORT_BYTES;
use crate::durable::Temporary;
use crate::ledger::contract::{ReportFacts, ReportInput};

/// The domain of a stored report's digest.
const DOMAIN: &str = "amiss/controller-report-blob-v1";
/// One piece.
const PIECE: usize = 64 * 1024;

/// Both digests of bytes that come in pieces.
pub(super) struct ReportHash {
    plain: Sha256,
    domain: DomainHash,
    bytes: u64,
}

impl ReportHash {
    pub(super) fn new() -> ReportHash {
        ReportHash {
            plain: Sha256::new(),
            domain: DomainHash::new(DOMAIN),
            bytes: 0,
        }
    }

    pub(super) fn update(&mut self, piece: &[u8]) {
        self.plain.update(piece);
        self.domain.update(piece);
        let more = u64::try_from(piece.len()).unwrap_or(u64::MAX);
        self.bytes = self.bytes.saturating_add(more);
    }

    pub(super) fn finish(self) -> (ReportFacts, Digest) {
        let plain: [u8; 32] = self.plain.finalize().into();
        (
            ReportFacts {
                sha256: Sha256Hex::from_bytes(&plain),
                bytes: self.bytes,
            },
            self.domain.finish(),
        )
    }
}

/// Whether a source says that there is no such file, or no regular one: the report that was named
/// is then not there, which is not the system's fault.
fn is_another_file(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::InvalidInput
    )
}

impl Root {
    /// Proves that a row's report is the one that the row names.
    pub(super) fn verify_report(
        &self,
        key: &DeliveryKey,
        reference: &ReportReference,
    ) -> Result<ReportFacts, LedgerError> {
        let name = names::report(key);
        let mut file = self
            .dir
            .open_file(&name, MAX_REPORT_BYTES)?
            .ok_or_else(|| self.corrupt(&name, "the report of a saved row is missing"))?;
        if file.bytes() != reference.length {
            return Err(self.corrupt(
                &name,
                format!(
                    "it holds {} bytes, its row names {}",
                    file.bytes(),
                    reference.length
                ),
            ));
        }
        let mut hash = ReportHash::new();
        let size = usize::try_from(reference.length).unwrap_or(PIECE);
        let mut piece = vec![0_u8; size.clamp(1, PIECE)];
        loop {
            let count = file.read_some(&mut piece)?;
            if count == 0 {
                break;
            }
            hash.update(piece.get(..count).unwrap_or_default());
        }
        let (facts, digest) = hash.finish();
        if facts.bytes == reference.length && digest == reference.digest {
            Ok(facts)
        } else {
            Err(self.corrupt(&name, "its bytes are not those that its row names"))
        }
    }

    /// Writes a report beside its name, proving digest and length on the way.
    pub(super) fn write_report(
        &self,
        input: &mut ReportInput<'_>,
    ) -> Result<(Temporary<'_>, ReportReference), LedgerError> {
        if input.expected.bytes > MAX_REPORT_BYTES {
            return Err(LedgerError::ReportTooLarge);
        }
        let mut temporary = self.dir.temporary()?;
        let mut hash = ReportHash::new();
        let size = usize::try_from(input.expected.bytes).unwrap_or(PIECE);
        let mut piece = vec![0_u8; size.clamp(1, PIECE)];
        // One byte more than expected is enough to know that it is another file.
        let mut source = (&mut *input.source).take(input.expected.bytes.saturating_add(1));
        loop {
            let count = match source.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) if is_another_file(&error) => {
                    return Err(LedgerError::ReportMismatch(error.to_string()));
                }
                Err(error) => return Err(LedgerError::ReportUnreadable(error)),
            };
            let bytes = piece.get(..count).unwrap_or_default();
            hash.update(bytes);
            temporary.append(bytes)?;
        }
        let (facts, digest) = hash.finish();
        if facts.bytes > MAX_REPORT_BYTES {
            return Err(LedgerError::ReportTooLarge);
        }
        if facts.bytes != input.expected.bytes {
            return Err(LedgerError::ReportMismatch(format!(
                "it does not hold the {} bytes that `outcome.report.bytes` names",
                input.expected.bytes
            )));
        }
        if facts.sha256 != input.expected.sha256 {
            return Err(LedgerError::ReportMismatch(format!(
                "its SHA-256 is {}, not `outcome.report.sha256`",
                facts.sha256
            )));
        }
        let reference = ReportReference {
            digest,
            length: facts.bytes,
        };
        Ok((temporary, reference))
    }
}
