//! The one frame codec: magic, version, length, digest, canonical JSON (page 3b.2).

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::delivery::digest::DomainHash;

/// Version byte of every frame.
const VERSION: u8 = 1;

/// One kind of frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    magic: &'static [u8],
    domain: &'static str,
    /// Ceiling of the whole file, in bytes.
    pub ceiling: u64,
}

pub(super) const ROOT: Form = Form {
    magic: b"AMISS-DELIVERY-ROOT",
    domain: "amiss/controller-file-root-frame-v1",
    ceiling: 4096,
};
pub(super) const CAPACITY: Form = Form {
    magic: b"AMISS-DELIVERY-CAPACITY",
    domain: "amiss/controller-file-capacity-frame-v1",
    ceiling: 4096,
};
pub(super) const ROW: Form = Form {
    magic: b"AMISS-DELIVERY-RECORD",
    domain: "amiss/controller-file-record-v1",
    ceiling: 131_072,
};

/// What is wrong with a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Fewer bytes than a header.
    #[error("it is shorter than its header")]
    Short,
    /// Another magic.
    #[error("it does not start with its magic")]
    Magic,
    /// Another version.
    #[error("its frame version is {0}, not 1")]
    Version(u8),
    /// A length that is not the rest of the file.
    #[error("its length says {said} bytes and {found} follow")]
    Length {
        /// In the header.
        said: u64,
        /// In the file.
        found: u64,
    },
    /// Another digest.
    #[error("its bytes do not match its digest")]
    Digest,
    /// Not the typed object.
    #[error("its payload is not of its schema: {0}")]
    Payload(String),
    /// The right object in another spelling.
    #[error("its payload is not canonical")]
    Canonical,
    /// A value out of its rule.
    #[error("{0}")]
    Rule(&'static str),
    /// Over its ceiling; no legal value is.
    #[error("it would be larger than its ceiling")]
    Ceiling,
}

/// A type that lives in a frame.
pub(super) trait Framed: Serialize + DeserializeOwned {
    /// Its frame.
    const FORM: Form;

    /// What its members must say about each other.
    fn check(&self) -> Result<(), FrameError>;
}

/// The frame of a value.
pub(super) fn encode<T: Framed>(value: &T) -> Result<Vec<u8>, FrameError> {
    value.check()?;
    let payload =
        serde_json::to_vec(value).map_err(|error| FrameError::Payload(error.to_string()))?;
    let bytes = seal(&T::FORM, &payload);
    match u64::try_from(bytes.len()) {
        Ok(length) if length <= T::FORM.ceiling => Ok(bytes),
        _ => Err(FrameError::Ceiling),
    }
}

/// The value of a frame. Canonical means: what the typed value is written as, byte by byte.
pub(super) fn decode<T: Framed>(bytes: &[u8]) -> Result<T, FrameError> {
    let payload = open(&T::FORM, bytes)?;
    let value: T =
        serde_json::from_slice(payload).map_err(|error| FrameError::Payload(error.to_string()))?;
    value.check()?;
    // As long as what was read, if all is well: so it never has to grow.
    let mut again = Vec::with_capacity(payload.len());
    serde_json::to_writer(&mut again, &value)
        .map_err(|error| FrameError::Payload(error.to_string()))?;
    if again == payload {
        Ok(value)
    } else {
        Err(FrameError::Canonical)
    }
}

fn seal(form: &Form, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(
        form.magic
            .len()
            .saturating_add(payload.len())
            .saturating_add(41),
    );
    bytes.extend_from_slice(form.magic);
    bytes.push(VERSION);
    let length = u64::try_from(payload.len()).unwrap_or(u64::MAX);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(&digest(form, payload));
    bytes.extend_from_slice(payload);
    bytes
}

fn open<'a>(form: &Form, bytes: &'a [u8]) -> Result<&'a [u8], FrameError> {
    let (magic, rest) = bytes
        .split_at_checked(form.magic.len())
        .ok_or(FrameError::Short)?;
    if magic != form.magic {
        return Err(FrameError::Magic);
    }
    let (&version, rest) = rest.split_first().ok_or(FrameError::Short)?;
    if version != VERSION {
        return Err(FrameError::Version(version));
    }
    let (length, rest) = rest.split_first_chunk::<8>().ok_or(FrameError::Short)?;
    let (sum, payload) = rest.split_first_chunk::<32>().ok_or(FrameError::Short)?;
    let said = u64::from_be_bytes(*length);
    let found = u64::try_from(payload.len()).unwrap_or(u64::MAX);
    if said != found {
        return Err(FrameError::Length { said, found });
    }
    if *sum != digest(form, payload) {
        return Err(FrameError::Digest);
    }
    Ok(payload)
}

fn digest(form: &Form, payload: &[u8]) -> [u8; 32] {
    let mut hash = DomainHash::new(form.domain);
    hash.update(payload);
    hash.finish_bytes()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::ledger::file::capacity::Capacity;
    use crate::ledger::file::metadata::Metadata;
    use crate::ledger::file::row::Row;

    /// Files of a root that the earlier implementation wrote.
    fn files(ending: &str) -> Vec<Vec<u8>> {
        let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/roots/v25-mixed.tar");
        let mut archive = tar::Archive::new(std::fs::File::open(archive).unwrap());
        let mut found = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            if entry.path().unwrap().to_string_lossy().ends_with(ending) {
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).unwrap();
                found.push(bytes);
            }
        }
        assert!(!found.is_empty(), "{ending}");
        found
    }

    /// What a medium or a hand may do to a frame, and what it must then be.
    fn sweep<T: Framed + PartialEq + std::fmt::Debug>(whole: &[u8]) {
        let value: T = decode(whole).unwrap();
        assert_eq!(encode(&value).unwrap(), whole, "written as it was read");
        for index in 0..whole.len() {
            for bit in 0..8 {
                let mut bytes = whole.to_vec();
                bytes[index] ^= 1 << bit;
                assert!(decode::<T>(&bytes).is_err(), "bit {bit} of byte {index}");
            }
            assert!(decode::<T>(&whole[..index]).is_err(), "cut at {index}");
        }
        for byte in 0..=u8::MAX {
            let mut bytes = whole.to_vec();
            bytes.push(byte);
            assert!(decode::<T>(&bytes).is_err(), "byte {byte} appended");
        }
    }

    #[test]
    fn a_root_frame_with_any_bit_flipped_cut_or_appended_is_refused() {
        sweep::<Metadata>(&files(".amiss-root.state")[0]);
    }

    #[test]
    fn a_capacity_frame_with_any_bit_flipped_cut_or_appended_is_refused() {
        sweep::<Capacity>(&files(".amiss-capacity.state")[0]);
    }

    #[test]
    fn a_row_frame_with_any_bit_flipped_cut_or_appended_is_refused() {
        let rows: Vec<Vec<u8>> = files(".state")
            .into_iter()
            .filter(|bytes| bytes.starts_with(ROW.magic))
            .collect();
        assert_eq!(rows.len(), 11);
        for row in rows.iter().take(3) {
            sweep::<Row>(row);
        }
        for row in &rows {
            let value: Row = decode(row).unwrap();
            assert_eq!(&encode(&value).unwrap(), row, "written as it was read");
        }
    }

    /// A payload that is sealed by a right digest, and spelled otherwise.
    #[test]
    fn a_payload_in_another_spelling_is_refused_although_its_digest_is_right() {
        let whole = &files(".amiss-capacity.state")[0];
        let payload = open(&CAPACITY, whole).unwrap();
        let text = std::str::from_utf8(payload).unwrap();
        assert!(decode::<Capacity>(&seal(&CAPACITY, payload)).is_ok());
        for other in [
            text.replace("\":", "\": "),
            text.replace("11,", "11.0,"),
            text.replace("11,", "1.1e1,"),
            text.replace("11,", "+11,"),
            text.replace("11,", "011,"),
            text.replace("amiss/", "amiss\\/"),
            text.replace("amiss/", "\\u0061miss/"),
            text.replace("null", "false"),
            text.replace("\"records\":11,", "\"records\":11,\"records\":11,"),
            text.replace("\"records\":11,", ""),
            text.replace("{\"schema\"", "{\"more\":1,\"schema\""),
            format!("{text}\n"),
            format!("\u{feff}{text}"),
        ] {
            assert_ne!(other, text);
            let bytes = seal(&CAPACITY, other.as_bytes());
            assert!(decode::<Capacity>(&bytes).is_err(), "{other}");
        }
    }
}
