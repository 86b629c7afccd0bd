//! Values on their way between JSON and SQLite.

use rusqlite::types::{ToSqlOutput, Value as Sql, ValueRef};
use rusqlite::ToSql;
use sausage_plugin::schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};
use sausage_plugin::serde::de::Error as _;
use sausage_plugin::serde::{Deserialize, Deserializer};
use sausage_plugin::serde_json::{json, Value};
use std::borrow::Cow;

/// What stands for a `?` in a statement.
pub struct Param(Sql);

impl<'de> Deserialize<'de> for Param {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(source)?;
        let wrong = || D::Error::custom("a param is a number, a text, null, true, false or {\"base64\": \"…\"}");
        Ok(Param(match &value {
            Value::Null => Sql::Null,
            Value::Bool(truth) => Sql::Integer(i64::from(*truth)),
            Value::Number(number) => match number.as_i64() {
                Some(whole) => Sql::Integer(whole),
                None => Sql::Real(number.as_f64().ok_or_else(wrong)?),
            },
            Value::String(text) => Sql::Text(text.clone()),
            Value::Object(_) => Sql::Blob(value["base64"].as_str().and_then(bytes_of).ok_or_else(wrong)?),
            Value::Array(_) => return Err(wrong()),
        }))
    }
}

/// Any value: what it may be no schema of the protocol's subset can say (R10-3).
impl JsonSchema for Param {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Param".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}

impl ToSql for Param {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

pub fn json_of(value: ValueRef) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(whole) => json!(whole),
        ValueRef::Real(real) => json!(real),
        ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => json!({ "base64": base64_of(bytes) }),
    }
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64_of(bytes: &[u8]) -> String {
    let mut text = String::new();
    for piece in bytes.chunks(3) {
        let bits = piece.iter().enumerate().fold(0, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= piece.len() { letter as char } else { '=' });
        }
    }
    text
}

fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = LETTERS.iter().position(|known| *known == letter)?;
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_goes_both_ways() {
        for length in 0..9 {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 83 + 7) as u8).collect();
            assert_eq!(bytes_of(&base64_of(&bytes)).unwrap(), bytes);
        }
        assert_eq!(base64_of(b"hello"), "aGVsbG8=");
        assert_eq!(bytes_of("a!"), None);
    }
}
