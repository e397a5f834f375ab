//! `application/x-www-form-urlencoded` with the one field `payload`, read strictly: a lax reader
//! would let two bodies mean one payload.

/// The text of the single field `payload`, or `None` when the body is not such a form.
pub(in super::super) fn payload(body: &[u8]) -> Option<Vec<u8>> {
    let field = body.strip_prefix(b"payload=")?;
    let mut text = Vec::with_capacity(field.len());
    let mut rest = field.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let high = char::from(*rest.next()?).to_digit(16)?;
                let low = char::from(*rest.next()?).to_digit(16)?;
                text.push(u8::try_from(high << 4 | low).ok()?);
            }
            b'+' => text.push(b' '),
            // A second field, or something that a form never leaves bare.
            b'&' | b'=' | b';' | 0..=b' ' | 0x7f.. => return None,
            other => text.push(*other),
        }
    }
    Some(text)
}

/// Whether a body claims to be such a form.
pub(in super::super) fn is_form(body: &[u8]) -> bool {
    body.starts_with(b"payload=")
}
