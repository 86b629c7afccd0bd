//! The subset of JSON Schema that has a Rust type (R10-3); what is outside of it is any JSON value.

use crate::json::{Json, Number, Object};

pub const UNIONS: [&str; 2] = ["anyOf", "oneOf"];
const RANGES: [&str; 4] = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"];
const READ: [&str; 7] = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "$ref",
    "additionalProperties",
];
const KINDS: [&str; 7] = ["null", "boolean", "number", "string", "array", "object", "integer"];
const IGNORED: &str = "title description default examples $comment $schema $id format readOnly writeOnly deprecated";

fn is_ignored(keyword: &str) -> bool {
    keyword.starts_with("x-") || IGNORED.split(' ').any(|known| known == keyword)
}

/// The names in `type`; `None` where the schema has none. What is no text is the empty name, which no kind has.
pub fn type_names(schema: &Object) -> Option<Vec<&str>> {
    let name =
        |json: &'_ Json| -> &'static str { KINDS.into_iter().find(|kind| json.text() == Some(kind)).unwrap_or("") };
    match schema.get("type")? {
        Json::List(names) => Some(names.iter().map(name).collect()),
        one => Some(vec![name(one)]),
    }
}

fn names_type(schema: &Object, wanted: &str) -> bool {
    type_names(schema).is_some_and(|names| names.contains(&wanted))
}

/// Whether the schema itself, without those below it, is outside the subset.
pub fn is_outside(schema: &Json) -> bool {
    let Some(schema) = schema.object() else { return true };
    let keywords: Vec<(&str, &Json)> = schema.iter().filter(|(keyword, _)| !is_ignored(keyword)).collect();
    keywords.is_empty()
        || keywords
            .iter()
            .any(|(keyword, value)| !has_form(keyword, value, schema, keywords.len()))
}

fn has_form(keyword: &str, value: &Json, schema: &Object, count: usize) -> bool {
    match keyword {
        "type" => {
            let names = type_names(schema).unwrap_or_default();
            let pair = names.len() == 2 && names[0] != names[1] && names.contains(&"null");
            !names.contains(&"") && (names.len() == 1 || pair)
        }
        "properties" => value.object().is_some(),
        "required" => value
            .list()
            .is_some_and(|names| names.iter().all(|name| name.text().is_some())),
        "items" => value.list().is_none(),
        "enum" => value.list().is_some_and(|values| {
            let fits = |value: &Json| value.text().is_some() || *value == Json::Null;
            values.iter().any(|value| value.text().is_some()) && values.iter().all(fits)
        }),
        "additionalProperties" => *value == Json::Bool(true),
        "$ref" => count == 1,
        "anyOf" | "oneOf" => count == 1 && value.list().is_some_and(|branches| branches.len() == 2),
        _ if RANGES.contains(&keyword) => is_number(value) && names_type(schema, "integer"),
        _ => READ.contains(&keyword),
    }
}

fn is_number(value: &Json) -> bool {
    match value {
        Json::Number(Number::Float(float)) => float.is_finite(),
        Json::Number(Number::Integer(_)) => true,
        _ => false,
    }
}

/// The range of an `integer`: least and greatest, the stricter of two bounds.
pub fn range_of(schema: &Object) -> (Option<i128>, Option<i128>) {
    let (mut least, mut greatest) = (None::<i128>, None::<i128>);
    for keyword in RANGES {
        let bound = match schema.get(keyword) {
            Some(Json::Number(bound)) => *bound,
            _ => continue,
        };
        let exclusive = keyword.starts_with("exclusive");
        if keyword.to_ascii_lowercase().ends_with("minimum") {
            let value = match bound {
                Number::Integer(value) => value.saturating_add(exclusive.into()),
                Number::Float(value) if exclusive => (value.floor() as i128).saturating_add(1),
                Number::Float(value) => value.ceil() as i128,
            };
            least = Some(least.map_or(value, |before| before.max(value)));
        } else {
            let value = match bound {
                Number::Integer(value) => value.saturating_sub(exclusive.into()),
                Number::Float(value) if exclusive => (value.ceil() as i128).saturating_sub(1),
                Number::Float(value) => value.floor() as i128,
            };
            greatest = Some(greatest.map_or(value, |before| before.min(value)));
        }
    }
    (least, greatest)
}
