//! The Rust client of a plugin, made from its OpenRPC document: the text of `/proc/plugins/<name>/client.rs`, byte for
//! byte as the host makes it (R10-11). Change both at once; a test of the host's repository compares them.

mod document;
mod names;
mod shape;
mod subset;
mod types;

use crate::json::Json;
use document::{Document, Method};
use names::{docs, literal, snake_case, Namespace};
use shape::Shape;
use types::{Body, Field, Id, RustType, RustTypes};

struct Signature<'a> {
    method: &'a Method,
    name: String,
    params: Option<RustType>,
    result: Option<RustType>,
}

/// The module for the plugin of the given name.
pub fn client(json: &Json, plugin: &str) -> Result<String, String> {
    let document = Document::read(json)?;
    let mut types = RustTypes::new(&document);
    let mut modules = Namespace::new("serde serde_json");
    let functions = signatures(&document.methods, &mut types, "");
    let mut served = Vec::new();
    for (name, methods) in &document.endpoints {
        served.push((
            name,
            modules.take(snake_case(name)),
            signatures(methods, &mut types, name),
        ));
    }
    types.finish();
    let shape = Shape::new(&types);
    let definitions: Vec<String> = (0..types.definitions.len())
        .map(|id| definition_text(id, &types, &shape))
        .collect();

    let prefix = format!("{plugin}.");
    let mut body: Vec<String> = functions
        .iter()
        .map(|function| function_text(function, &types, &shape, Some(&prefix)))
        .collect();
    for (name, module, functions) in &served {
        let mut inner = vec!["        use super::*;\n".to_string()];
        inner.extend(
            functions
                .iter()
                .map(|function| indented(&function_text(function, &types, &shape, None))),
        );
        let about = docs(&[format!("The endpoint interface {}.", quoted(name))], "    ");
        body.push(format!("{about}    pub mod {module} {{\n{}    }}\n", inner.join("\n")));
    }
    let reads_presence = definitions.iter().any(|text| text.contains(PRESENT));
    body.extend(definitions);
    if reads_presence {
        body.push(PRESENT_FUNCTION.to_string());
    }

    let about = [document.title.clone(), document.description.clone().unwrap_or_default()];
    let mut text = docs(&about, "");
    text.push_str(&format!("pub mod {} {{\n", snake_case(plugin)));
    text.push_str("    #![allow(clippy::all, dead_code, deprecated, unused_imports)]\n\n");
    text.push_str("    use ::sausage_plugin::{serde, serde_json, Error};\n");
    for part in body {
        text.push('\n');
        text.push_str(&part);
    }
    text.push_str("}\n");
    Ok(text)
}

fn signatures<'a>(methods: &'a [Method], types: &mut RustTypes, prefix: &str) -> Vec<Signature<'a>> {
    let mut names = Namespace::new("present");
    let signature = |method: &'a Method| {
        let hint = format!("{prefix} {}", method.name);
        let name = names.take(snake_case(&method.name));
        let result = method
            .result
            .as_ref()
            .map(|result| types.of(result, &format!("{hint} result")));
        let params = types.params(&method.params, &format!("{hint} params"), &method.told);
        Signature {
            method,
            name,
            params,
            result,
        }
    };
    methods.iter().map(signature).collect()
}

/// All that is said about a method; params only where it does not stand at the fields of their struct.
fn descriptions_of(signature: &Signature, types: &RustTypes) -> Vec<String> {
    let method = signature.method;
    let fields: &[Field] = match &signature.params {
        Some(RustType::Named(id)) => match &types.definitions[*id].body {
            Body::Struct(fields) => fields,
            _ => &[],
        },
        _ => &[],
    };
    let stands = |name: &str, text: &String| {
        fields
            .iter()
            .any(|field| field.wire == name && field.descriptions.contains(text))
    };
    let mut all: Vec<String> = [&method.summary, &method.description]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let untold = method.told.iter().filter(|(name, text)| !stands(name, text));
    all.extend(untold.map(|(name, text)| format!("`{name}`: {text}")));
    all.extend(method.result_told.as_ref().map(|text| format!("Returns: {text}")));
    all
}

/// A method of the plugin by its whole name, or, without a prefix, one of an endpoint through a connection to it.
fn function_text(signature: &Signature, types: &RustTypes, shape: &Shape, prefix: Option<&str>) -> String {
    let Signature {
        method,
        name,
        params,
        result,
    } = signature;
    let mut args = Vec::new();
    if prefix.is_none() {
        args.push("endpoint: &::sausage_plugin::Endpoint".to_string());
    }
    args.extend(
        params
            .as_ref()
            .map(|params| format!("params: &{}", shape.text(params, None))),
    );
    let call = if prefix.is_none() {
        "endpoint.call"
    } else {
        "::sausage_plugin::call"
    };
    let value = if params.is_some() {
        "params"
    } else {
        "&serde_json::json!({})"
    };
    let sent = format!(
        "{call}({}, {value})",
        literal(&format!("{}{}", prefix.unwrap_or_default(), method.name))
    );
    let returned = result
        .as_ref()
        .map_or("()".to_string(), |result| shape.text(result, None));
    let sent = if result.is_some() {
        sent
    } else {
        format!("{sent}.map(|_: serde::de::IgnoredAny| ())")
    };
    let about = docs(&descriptions_of(signature, types), "    ");
    let deprecated = if method.deprecated { "    #[deprecated]\n" } else { "" };
    let args = args.join(", ");
    format!("{about}{deprecated}    pub fn {name}({args}) -> Result<{returned}, Error> {{\n        {sent}\n    }}\n")
}

fn definition_text(id: Id, types: &RustTypes, shape: &Shape) -> String {
    let definition = &types.definitions[id];
    let name = &definition.name;
    let about = docs(&definition.descriptions, "    ");
    let derived = |traits: &[&str]| {
        let all = [
            &["Debug", "Clone", "PartialEq"],
            traits,
            &["serde::Serialize", "serde::Deserialize"],
        ]
        .concat();
        format!(
            "{about}    #[derive({})]\n    #[serde(crate = \"::sausage_plugin::serde\")]\n",
            all.join(", ")
        )
    };
    let with_default: &[&str] = if shape.has_default(id) { &["Default"] } else { &[] };
    match &definition.body {
        Body::Struct(fields) => {
            let fields: String = fields.iter().map(|field| field_text(field, id, shape)).collect();
            format!("{}    pub struct {name} {{\n{fields}    }}\n", derived(with_default))
        }
        Body::Enum(variants) => {
            let variant = |(name, wire): &(String, String)| format!("{}        {name},\n", renamed(name, wire));
            let variants: String = variants.iter().map(variant).collect();
            format!(
                "{}    pub enum {name} {{\n{variants}    }}\n",
                derived(&["Copy", "Eq", "Hash"])
            )
        }
        Body::Alias(of) => {
            let text = shape.text(of, Some(id));
            if !shape.is_wrapper(id) {
                return format!("{about}    pub type {name} = {text};\n");
            }
            format!(
                "{}    #[serde(transparent)]\n    pub struct {name}(pub {text});\n",
                derived(with_default)
            )
        }
    }
}

/// A required property is always written, null as it may be. One that is not required is `None` when it is absent; if
/// null is a value of it, `Some(None)` is that null.
fn field_text(field: &Field, owner: Id, shape: &Shape) -> String {
    let text = shape.text(&field.of, Some(owner));
    let name = &field.name;
    let about = format!(
        "{}{}",
        docs(&field.descriptions, "        "),
        renamed(name, &field.wire)
    );
    if field.required {
        return format!("{about}        pub {name}: {text},\n");
    }
    let reads = if shape.is_nullable(&field.of) {
        format!(", {PRESENT}")
    } else {
        String::new()
    };
    let attribute = format!("#[serde(default, skip_serializing_if = \"Option::is_none\"{reads})]");
    format!("{about}        {attribute}\n        pub {name}: Option<{text}>,\n")
}

fn renamed(name: &str, wire: &str) -> String {
    if name.strip_prefix("r#").unwrap_or(name) == wire {
        return String::new();
    }
    format!("        #[serde(rename = {})]\n", literal(wire))
}

const PRESENT: &str = "deserialize_with = \"present\"";

const PRESENT_FUNCTION: &str = "    /// Reads a property that is there, so that null is not taken for its absence.
    fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        D: serde::Deserializer<'de>,
        T: serde::Deserialize<'de>,
    {
        T::deserialize(deserializer).map(Some)
    }
";

fn indented(text: &str) -> String {
    let line = |line: &str| {
        if line == "\n" {
            line.to_string()
        } else {
            format!("    {line}")
        }
    };
    text.split_inclusive('\n').map(line).collect()
}

/// A JSON string, as JavaScript writes it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            control if control < ' ' => quoted.push_str(&format!("\\u{:04x}", control as u32)),
            plain => quoted.push(plain),
        }
    }
    quoted.push('"');
    quoted
}
