//! The params of a request, taken one by one so that an error can name the one that is wrong.

#![allow(missing_docs)] // what the macros refer to

use crate::{Error, Result};
use serde::de::{self, DeserializeOwned, Deserializer, Visitor};
use serde_json::{Map, Value};

pub struct Params(pub(crate) Map<String, Value>);

impl Params {
    pub fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<T> {
        let value = match self.0.get_mut(name) {
            Some(value) => serde_json::from_value(value.take()).map_err(|error| error.to_string()),
            None => T::deserialize(Absent).map_err(|Missing| "is missing".to_string()),
        };
        value.map_err(|reason| Error::invalid_params(format!("{name}: {reason}")))
    }

    pub fn whole<T: DeserializeOwned>(&mut self) -> Result<T> {
        let object = Value::Object(std::mem::take(&mut self.0));
        serde_json::from_value(object).map_err(|error| Error::invalid_params(error.to_string()))
    }
}

/// Reads a param that is not there: an `Option` is `None`, everything else is an error.
struct Absent;

#[derive(Debug)]
struct Missing;

impl std::fmt::Display for Missing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("is missing")
    }
}

impl std::error::Error for Missing {}

impl de::Error for Missing {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Missing
    }
}

impl<'de> Deserializer<'de> for Absent {
    type Error = Missing;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Missing> {
        Err(Missing)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Missing> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_wrong_param_is_named() {
        let mut params = Params(json!({ "text": 7, "id": -1, "tag": null }).as_object().unwrap().clone());
        assert!(params
            .take::<String>("text")
            .unwrap_err()
            .message
            .starts_with("text: invalid type"));
        assert!(params.take::<u64>("id").unwrap_err().message.starts_with("id: "));
        assert_eq!(params.take::<Option<u8>>("tag").unwrap(), None);
        assert_eq!(params.take::<Option<u8>>("nothing").unwrap(), None);
        let missing = params.take::<Vec<u8>>("list").unwrap_err();
        assert_eq!(
            (missing.code, missing.message.as_str()),
            (Error::INVALID_PARAMS, "list: is missing")
        );
    }
}
