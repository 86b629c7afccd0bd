//! What a plugin is made of, and the OpenRPC document that describes it (R10-1).

#![allow(missing_docs)] // what the macros refer to

use crate::message::Reply;
use crate::params::Params;
use crate::schemas::Schemas;
use crate::{Error, Result};
use schemars::{Schema, SchemaGenerator};
use serde_json::{json, Map, Value};
use std::future::Future;
use std::pin::Pin;

/// A handler at work.
pub type Handling = Pin<Box<dyn Future<Output = Reply>>>;

pub struct Plugin {
    pub title: &'static str,
    pub version: &'static str,
    pub description: &'static str,
    pub grace: Option<f64>,
    pub methods: &'static [Method],
    pub endpoints: &'static [Interface],
    pub imports: &'static [Import],
}

pub struct Interface {
    pub name: &'static str,
    pub methods: &'static [Method],
}

pub struct Method {
    pub name: &'static str,
    pub about: &'static str,
    pub deprecated: bool,
    pub params: fn(&mut SchemaGenerator) -> Schema,
    pub result: fn(&mut SchemaGenerator) -> Schema,
    pub call: fn(Params) -> Handling,
}

pub struct Import {
    pub plugin: &'static str,
    /// The whole document of that plugin.
    pub document: &'static str,
    /// The methods that are used; `None` is all, endpoints too.
    pub methods: Option<&'static [&'static str]>,
}

/// The text of the document.
pub(crate) fn document(plugin: &Plugin) -> Reply {
    let mut schemas = Schemas::default();
    let methods = described(plugin.methods, &mut schemas);
    let mut endpoints = Map::new();
    for Interface { name, methods } in plugin.endpoints {
        endpoints.insert(name.to_string(), json!({ "methods": described(methods, &mut schemas) }));
    }
    let mut imports = Map::new();
    for import in plugin.imports {
        imports.insert(import.plugin.to_string(), used_part(import)?);
    }
    let (methods, endpoints, components) = schemas.finish(methods, endpoints.into());
    let mut info = Map::new();
    info.insert("title".into(), plugin.title.into());
    info.insert("version".into(), plugin.version.into());
    if !plugin.description.is_empty() {
        info.insert("description".into(), plugin.description.into());
    }
    let mut document = Map::new();
    document.insert("openrpc".into(), "1.2.6".into());
    document.insert("info".into(), info.into());
    document.insert("methods".into(), methods);
    document.insert("components".into(), json!({ "schemas": components }));
    for (name, part) in [
        ("x-sausage-endpoints", endpoints),
        ("x-sausage-imports", imports.into()),
    ] {
        if part.as_object().is_some_and(|part| !part.is_empty()) {
            document.insert(name.into(), part);
        }
    }
    if let Some(grace) = plugin.grace {
        document.insert("x-sausage-grace".into(), grace.into());
    }
    Ok(serde_json::to_string(&document)?)
}

/// The methods as the document has them, `rpc.…` left out: nobody calls them but the core.
fn described(methods: &[Method], schemas: &mut Schemas) -> Value {
    methods
        .iter()
        .filter(|method| !method.name.starts_with("rpc."))
        .map(|method| describe(method, schemas))
        .collect()
}

fn describe(method: &Method, schemas: &mut Schemas) -> Value {
    let mut described = Map::new();
    described.insert("name".into(), method.name.into());
    if !method.about.is_empty() {
        described.insert("description".into(), method.about.into());
    }
    if method.deprecated {
        described.insert("deprecated".into(), true.into());
    }
    let (reference, params) = schemas.params(method.params);
    described.insert("paramStructure".into(), "by-name".into());
    described.insert("params".into(), params);
    described.insert("x-sausage-params".into(), reference);
    described.insert(
        "result".into(),
        json!({ "name": "result", "schema": schemas.result(method.result) }),
    );
    described.into()
}

/// Of another plugin's document, what is used of it (R10-1).
fn used_part(import: &Import) -> Result<Value> {
    let mut document: Map<String, Value> = serde_json::from_slice(import.document.as_bytes())?;
    let mut part = Map::new();
    let mut kept = vec!["methods", "components"];
    if import.methods.is_none() {
        kept.push("x-sausage-endpoints");
    }
    for name in kept {
        if let Some(value) = document.remove(name) {
            part.insert(name.into(), value);
        }
    }
    if let (Some(used), Some(Value::Array(methods))) = (import.methods, part.get_mut("methods")) {
        methods.retain(|method| method["name"].as_str().is_some_and(|name| used.contains(&name)));
    }
    Ok(part.into())
}

/// Writes the result of a handler.
pub fn reply<T: serde::Serialize>(result: Result<T>) -> Reply {
    Ok(serde_json::to_string(&result?)?)
}

/// The error of a handler, whatever it is.
pub fn error<E: Into<Error>>(error: E) -> Error {
    error.into()
}
