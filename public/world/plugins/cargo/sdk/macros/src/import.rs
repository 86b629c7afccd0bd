//! `import!("notes")`: the client of another plugin, from a copy of its document.

use crate::client::client;
use crate::json::Json;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use std::path::PathBuf;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, LitStr, Result, Token};

/// What stands between the brackets: the name of a plugin and, if not all of it is used, its methods.
pub struct Import {
    pub plugin: LitStr,
    methods: Option<Punctuated<LitStr, Token![,]>>,
}

impl Parse for Import {
    fn parse(input: ParseStream) -> Result<Self> {
        let plugin: LitStr = input.parse()?;
        let methods = match input.parse::<Option<Token![:]>>()? {
            Some(_) => Some(Punctuated::parse_terminated_with(input, |input| input.parse())?),
            None => input.parse::<Option<Token![,]>>().map(|_| None)?,
        };
        Ok(Import { plugin, methods })
    }
}

/// The constant beside the client that says what is imported.
pub fn constant(plugin: &str) -> syn::Ident {
    format_ident!("__SAUSAGE_IMPORT_{}", plugin.replace('-', "_").to_uppercase())
}

pub fn expand(arguments: TokenStream) -> Result<TokenStream> {
    let import: Import = syn::parse2(arguments)?;
    let name = import.plugin.value();
    let failed = |span: Span, reason: String| Error::new(span, reason);
    let at = import.plugin.span();
    let path = find(&name).map_err(|reason| failed(at, reason))?;
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(&path).map_err(|error| failed(at, format!("{shown}: {error}")))?;
    let wrong = |reason: String| failed(at, format!("{shown} is no document of a plugin: {reason}"));
    let document = Json::parse(&text).map_err(wrong)?;
    let module: TokenStream = client(&document, &name)
        .map_err(wrong)?
        .parse()
        .map_err(|error| failed(at, format!("the client of {name} is no Rust: {error}")))?;
    for method in import.methods.iter().flatten() {
        let known = document.member("methods").and_then(Json::list).unwrap_or_default();
        if !known
            .iter()
            .any(|known| known.member("name").and_then(Json::text) == Some(&method.value()))
        {
            return Err(failed(
                method.span(),
                format!("{name} has no method {:?}", method.value()),
            ));
        }
    }
    let methods = match import.methods {
        None => quote!(::core::option::Option::None),
        Some(methods) => {
            let methods = methods.iter();
            quote!(::core::option::Option::Some(&[#(#methods),*]))
        }
    };
    let constant = constant(&name);
    Ok(quote! {
        #module
        #[doc(hidden)]
        pub const #constant: ::sausage_plugin::__private::Import = ::sausage_plugin::__private::Import {
            plugin: #name,
            document: ::core::include_str!(#shown),
            methods: #methods,
        };
    })
}

/// `imports/` stands beside the folder of the package, as in `/plugins/<name>/`, or in it.
fn find(name: &str) -> std::result::Result<PathBuf, String> {
    let valid = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c));
    if !valid {
        return Err(format!(
            "{name:?} is no name of a plugin: these are of a-z, 0-9, - and _"
        ));
    }
    let package =
        std::env::var("CARGO_MANIFEST_DIR").map_err(|_| "import! needs to be compiled by cargo".to_string())?;
    let package = PathBuf::from(package);
    let file = format!("imports/{name}.json");
    let beside = package.parent().map(|parent| parent.join(&file));
    let found = beside
        .into_iter()
        .chain([package.join(&file)])
        .find(|path| path.is_file());
    found.ok_or_else(|| {
        format!("there is no ../{file}: copy /proc/plugins/{name}/discover.json there, the document of the plugin")
    })
}
