//! Room in the envelope: what one step hands on, the next must be able to read (page 1.2).

use amiss::code::Code;
use amiss::delivery::Envelope;
use amiss::json::MAX_ENVELOPE_BYTES;

use crate::failure::Failure;

/// What all steps of a flow add, a published answer of 64 KiB included.
const FLOW_BYTES: usize = 128 * 1024;

/// Refuses an envelope that leaves no room for what the flow adds, before anything is claimed: a
/// later step would only find it out under a lease. `replaced` are the members that this step takes
/// away or makes anew.
pub fn for_the_flow(envelope: &Envelope, replaced: &[&str]) -> Result<(), Failure> {
    let bytes = envelope.bytes_without(replaced);
    let room = MAX_ENVELOPE_BYTES.saturating_sub(FLOW_BYTES);
    if bytes > room {
        return Err(too_large(bytes, room, "leave room for what the flow adds"));
    }
    Ok(())
}

/// Refuses an answer that the next step would not read.
pub fn for_the_next_step(envelope: &Envelope) -> Result<(), Failure> {
    let bytes = envelope.bytes_without(&[]);
    if bytes > MAX_ENVELOPE_BYTES {
        return Err(too_large(bytes, MAX_ENVELOPE_BYTES, "the next step reads"));
    }
    Ok(())
}

/// Too large, and what to do about it.
pub fn too_large(bytes: usize, room: usize, what_for: &str) -> Failure {
    let message = format!("the envelope has {bytes} bytes, over the {room} that {what_for}");
    Failure::new(Code::InputTooLarge, message)
        .hint("take members that you added out of the envelope")
}
