//! The key of a row: provider text never becomes a path (page 3b.7).

use serde::Serialize;

use super::digest::Digest;
use super::identity::Identity;
use super::text::text;

fn is_key(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

text!(
    /// 64 lower-case hex digits that name a delivery's files.
    DeliveryKey, "delivery key", "64 lower-case hex digits", is_key
);

#[derive(Serialize)]
struct KeyPayload<'a> {
    provider_namespace: &'a str,
    provider_instance: &'a str,
    integration: &'a str,
    delivery: &'a str,
}

impl DeliveryKey {
    /// The key of an identity.
    #[must_use]
    pub fn of(identity: &Identity) -> DeliveryKey {
        let payload = KeyPayload {
            provider_namespace: identity.provider.namespace.as_str(),
            provider_instance: identity.provider.instance.as_str(),
            integration: identity.integration.as_str(),
            delivery: identity.delivery.as_str(),
        };
        // Four strings always serialise.
        let bytes = serde_json::to_vec(&payload).unwrap_or_default();
        DeliveryKey(
            Digest::of("amiss/controller-delivery-key-v1", &bytes)
                .hex()
                .to_owned(),
        )
    }

    /// The two hex digits that choose the row lock.
    #[must_use]
    pub fn shard(&self) -> &str {
        self.0.get(..2).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::{Provider, text};

    #[test]
    fn the_worked_example_of_page_3b_holds() {
        let identity = Identity {
            provider: Provider {
                namespace: text::Namespace::new("gitea").unwrap(),
                instance: text::Instance::new("forge.example.test").unwrap(),
            },
            integration: text::IntegrationId::new("installation-7").unwrap(),
            delivery: text::DeliveryId::new("delivery-9").unwrap(),
        };
        let key = DeliveryKey::of(&identity);
        assert_eq!(
            key.as_str(),
            "0b320f59191352125bbed161c51c73615a815b31a16e07f1fd4e9276ed616369"
        );
        assert_eq!(key.shard(), "0b");
    }
}
