//! The JSON Schemas of the three frames' payloads (page 3b).

use schemars::{Schema, SchemaGenerator};

use super::capacity::Capacity;
use super::metadata::Metadata;
use super::row::Row;

/// The payload of `.amiss-root.state`.
#[must_use]
pub fn root_frame(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Metadata>()
}

/// The payload of `.amiss-capacity.state`.
#[must_use]
pub fn capacity_frame(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Capacity>()
}

/// The payload of `KEY.state`.
#[must_use]
pub fn row_frame(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Row>()
}
