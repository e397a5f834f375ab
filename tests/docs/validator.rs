//! The part of JSON Schema 2020-12 that the schemas of amiss use. A keyword that it does not know
//! is a failure of the test, never a silent pass.

use serde_json::{Map, Value};

/// Keywords that say nothing about whether a value fits.
const NOTES: &[&str] = &[
    "$schema",
    "$defs",
    "title",
    "description",
    "format",
    "default",
    "examples",
];

/// Why the value does not fit; nothing where it does.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    let keywords = match schema {
        Value::Bool(true) => return,
        Value::Bool(false) => return found.push(format!("{path}: nothing fits here")),
        Value::Object(keywords) => keywords,
        other => panic!("no schema: {other}"),
    };
    for (keyword, rule) in keywords {
        let fits = match keyword.as_str() {
            "type" => is_type(rule, value),
            "const" => rule == value,
            "enum" => rule.as_array().unwrap().contains(value),
            "minimum" => value
                .as_f64()
                .is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value
                .as_f64()
                .is_none_or(|number| number <= rule.as_f64().unwrap()),
            "pattern" => value.as_str().is_none_or(|text| {
                regex::Regex::new(rule.as_str().unwrap())
                    .unwrap()
                    .is_match(text)
            }),
            "minItems" => value
                .as_array()
                .is_none_or(|all| all.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value
                .as_array()
                .is_none_or(|all| all.len() as u64 <= rule.as_u64().unwrap()),
            "oneOf" => {
                rule.as_array()
                    .unwrap()
                    .iter()
                    .filter(|one| holds(root, one, value))
                    .count()
                    == 1
            }
            "anyOf" => rule
                .as_array()
                .unwrap()
                .iter()
                .any(|one| holds(root, one, value)),
            "allOf" => rule
                .as_array()
                .unwrap()
                .iter()
                .all(|one| holds(root, one, value)),
            "$ref" => {
                let target = rule.as_str().unwrap().strip_prefix('#').unwrap();
                let target = root.pointer(target).unwrap_or_else(|| panic!("no {rule}"));
                check(root, target, value, path, found);
                true
            }
            "properties" | "required" | "additionalProperties" | "items" | "prefixItems" => {
                inside(root, keywords, keyword, value, path, found);
                true
            }
            note if NOTES.contains(&note) => true,
            unknown => panic!("the validator does not know `{unknown}`"),
        };
        if !fits {
            found.push(format!("{path}: {value} against {keyword} {rule}"));
        }
    }
}

fn holds(root: &Value, schema: &Value, value: &Value) -> bool {
    let mut found = Vec::new();
    check(root, schema, value, "", &mut found);
    found.is_empty()
}

/// The keywords about what is inside of an object or an array.
fn inside(
    root: &Value,
    keywords: &Map<String, Value>,
    keyword: &str,
    value: &Value,
    path: &str,
    found: &mut Vec<String>,
) {
    let rule = &keywords[keyword];
    match (keyword, value) {
        ("properties", Value::Object(members)) => {
            for (name, schema) in rule.as_object().unwrap() {
                if let Some(inner) = members.get(name) {
                    check(root, schema, inner, &format!("{path}/{name}"), found);
                }
            }
        }
        ("required", Value::Object(members)) => {
            for name in rule.as_array().unwrap() {
                if !members.contains_key(name.as_str().unwrap()) {
                    found.push(format!("{path}: {name} is missing"));
                }
            }
        }
        ("additionalProperties", Value::Object(members)) => {
            let known = keywords.get("properties").and_then(Value::as_object);
            for (name, inner) in members {
                if !known.is_some_and(|known| known.contains_key(name)) {
                    check(root, rule, inner, &format!("{path}/{name}"), found);
                }
            }
        }
        ("items", Value::Array(all)) => {
            for (index, inner) in all.iter().enumerate() {
                check(root, rule, inner, &format!("{path}/{index}"), found);
            }
        }
        ("prefixItems", Value::Array(all)) => {
            for (index, (inner, schema)) in all.iter().zip(rule.as_array().unwrap()).enumerate() {
                check(root, schema, inner, &format!("{path}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn is_type(rule: &Value, value: &Value) -> bool {
    let one = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("no type {other}"),
    };
    match rule {
        Value::String(name) => one(name),
        Value::Array(names) => names.iter().any(|name| one(name.as_str().unwrap())),
        other => panic!("no type {other}"),
    }
}

#[test]
fn the_validator_tells_what_fits_from_what_does_not() {
    let schema = serde_json::json!({
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": { "$ref": "#/$defs/Small" }, "b": { "anyOf": [{ "type": "string" }, { "type": "null" }] } },
        "$defs": { "Small": { "type": "integer", "minimum": 1, "maximum": 3 } }
    });
    for good in ["{\"a\":1}", "{\"a\":3,\"b\":null}", "{\"a\":2,\"b\":\"x\"}"] {
        assert_eq!(
            faults(&schema, &serde_json::from_str(good).unwrap()),
            Vec::<String>::new()
        );
    }
    for bad in [
        "{}",
        "{\"a\":0}",
        "{\"a\":4}",
        "{\"a\":1.5}",
        "{\"a\":1,\"b\":2}",
        "{\"a\":1,\"c\":2}",
        "[]",
    ] {
        assert_ne!(
            faults(&schema, &serde_json::from_str(bad).unwrap()),
            Vec::<String>::new(),
            "{bad}"
        );
    }
}
