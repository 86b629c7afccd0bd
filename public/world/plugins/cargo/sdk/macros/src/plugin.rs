//! `#[plugin]`: finds the methods of a module and writes what calls them and what describes them.

use crate::import::{constant, Import};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Expr, ExprLit, FnArg, GenericArgument, Ident, Item, ItemFn, ItemMod, Lit, LitFloat, LitInt,
    LitStr, Meta, Pat, PathArguments, Result, ReturnType, Token, Type, Visibility,
};

/// The arguments of `#[plugin(grace = 2)]`.
#[derive(Default)]
struct Arguments {
    grace: Option<TokenStream>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut arguments = Arguments::default();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            if name != "grace" {
                return Err(Error::new(
                    name.span(),
                    "the only argument is grace, in seconds: #[plugin(grace = 2)]",
                ));
            }
            arguments.grace = Some(if input.peek(LitInt) {
                let seconds = input.parse::<LitInt>()?.base10_parse::<u32>()?;
                quote!(#seconds as f64)
            } else {
                let seconds = input.parse::<LitFloat>()?.base10_parse::<f64>()?;
                quote!(#seconds)
            });
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(arguments)
    }
}

pub fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let Arguments { grace } = syn::parse2(arguments)?;
    let mut module: ItemMod = syn::parse2(item)?;
    let name = module.ident.clone();
    let about = take_docs(&module.attrs);
    let Some((_, items)) = &mut module.content else {
        return Err(Error::new(
            name.span(),
            "#[plugin] needs the module with its content: mod plugin { … }",
        ));
    };
    let mut imports = Vec::new();
    let mut endpoints = Vec::new();
    for item in items.iter_mut() {
        match item {
            Item::Macro(invocation)
                if invocation
                    .mac
                    .path
                    .segments
                    .last()
                    .is_some_and(|last| last.ident == "import") =>
            {
                let import: Import = invocation.mac.parse_body()?;
                imports.push(constant(&import.plugin.value()));
            }
            Item::Mod(inner) => {
                if let Some(attribute) = take_attribute(&mut inner.attrs, "endpoint") {
                    endpoints.push(read_endpoint(inner, &attribute)?);
                }
            }
            _ => {}
        }
    }
    let table = table(read_methods(items)?, items);
    let grace = grace.map_or(
        quote!(::core::option::Option::None),
        |grace| quote!(::core::option::Option::Some(#grace)),
    );
    let interface: Item = syn::parse_quote! {
        #[doc(hidden)]
        #[allow(deprecated)]
        pub const __SAUSAGE_PLUGIN: ::sausage_plugin::__private::Plugin = ::sausage_plugin::__private::Plugin {
            title: ::core::env!("CARGO_PKG_NAME"),
            version: ::core::env!("CARGO_PKG_VERSION"),
            description: #about,
            grace: #grace,
            methods: #table,
            endpoints: &[#(#endpoints),*],
            imports: &[#(#imports),*],
        };
    };
    items.push(interface);
    Ok(quote! {
        #module
        fn main() {
            ::sausage_plugin::__private::run(&#name::__SAUSAGE_PLUGIN)
        }
    })
}

/// `#[endpoint] mod control { … }`, or under another name `#[endpoint("control")]`.
fn read_endpoint(module: &mut ItemMod, attribute: &Attribute) -> Result<TokenStream> {
    let name = match &attribute.meta {
        Meta::Path(_) => module.ident.to_string(),
        meta => meta.require_list()?.parse_args::<LitStr>()?.value(),
    };
    let ident = module.ident.clone();
    let Some((_, items)) = &mut module.content else {
        return Err(Error::new(
            ident.span(),
            "#[endpoint] needs the module with its content",
        ));
    };
    let table = table(read_methods(items)?, items);
    items.push(syn::parse_quote! {
        #[doc(hidden)]
        #[allow(deprecated)]
        pub const __SAUSAGE_ENDPOINT: ::sausage_plugin::__private::Interface =
            ::sausage_plugin::__private::Interface { name: #name, methods: #table };
    });
    Ok(quote!(#ident::__SAUSAGE_ENDPOINT))
}

/// What is generated for a method: its entry in the table, and the items that the entry needs beside the function.
struct Method {
    entry: TokenStream,
    beside: Option<Item>,
}

/// The public functions, and the one that is the hook `rpc.retired`.
fn read_methods(items: &mut [Item]) -> Result<Vec<Method>> {
    let mut methods = Vec::new();
    for item in items {
        let Item::Fn(function) = item else { continue };
        if take_attribute(&mut function.attrs, "retired").is_some() {
            methods.push(read_method(function, Some("rpc.retired"))?);
        } else if matches!(function.vis, Visibility::Public(_)) {
            methods.push(read_method(function, None)?);
        }
    }
    Ok(methods)
}

/// Writes the items of the methods into the module, and returns the table.
fn table(methods: Vec<Method>, items: &mut Vec<Item>) -> TokenStream {
    let mut entries = Vec::new();
    for method in methods {
        entries.push(method.entry);
        items.extend(method.beside);
    }
    quote!(&[#(#entries),*])
}

fn read_method(function: &mut ItemFn, reserved: Option<&str>) -> Result<Method> {
    let renamed = take_attribute(&mut function.attrs, "name");
    let name = match (reserved, &renamed) {
        (Some(name), _) => name.to_string(),
        (None, Some(attribute)) => attribute_text(attribute)?,
        (None, None) => function.sig.ident.to_string().trim_start_matches("r#").to_string(),
    };
    if reserved.is_none() && (name.starts_with("rpc.") || name.is_empty()) {
        return Err(Error::new(
            function.sig.ident.span(),
            "names that begin with rpc. belong to the protocol",
        ));
    }
    if !function.sig.generics.params.is_empty() {
        return Err(Error::new(
            function.sig.generics.span(),
            "a method has no generics: its params come as JSON",
        ));
    }
    let about = take_docs(&function.attrs);
    let deprecated = function
        .attrs
        .iter()
        .any(|attribute| attribute.path().is_ident("deprecated"));
    let ident = &function.sig.ident;
    let bare = ident.to_string().trim_start_matches("r#").to_string();
    let params = read_params(&mut function.sig.inputs)?;
    let schema = format_ident!("__{}Params", pascal(&bare), span = Span::call_site());
    let mut beside = None;
    let (read, described) = match &params {
        Params::Whole(of) => (quote!(params.whole::<#of>()?), quote!(#of)),
        Params::Each(all) => {
            let names = all.iter().map(|param| &param.name);
            let types = all.iter().map(|param| &param.of);
            let docs = all.iter().map(|param| &param.docs);
            let wire = all.iter().map(|param| &param.wire);
            let title = format!("{}Params", pascal(&bare));
            beside = Some(syn::parse_quote! {
                #[doc(hidden)]
                #[allow(dead_code, non_camel_case_types)]
                #[derive(::sausage_plugin::schemars::JsonSchema)]
                #[schemars(crate = "::sausage_plugin::schemars", rename = #title)]
                struct #schema { #(#(#docs)* #[schemars(rename = #wire)] #names: #types),* }
            });
            let reads = all
                .iter()
                .map(|Param { wire, of, .. }| quote!(params.take::<#of>(#wire)?));
            (quote!(#(#reads),*), quote!(#schema))
        }
    };
    let awaited = if function.sig.asyncness.is_some() {
        quote!(.await)
    } else {
        quote!()
    };
    let called = quote!(#ident(#read) #awaited);
    let (result, answer) = match &function.sig.output {
        ReturnType::Default => (quote!(()), quote!(::core::result::Result::Ok(#called))),
        ReturnType::Type(_, of) => match result_of(of) {
            Some(inner) => (
                quote!(#inner),
                quote!(#called.map_err(::sausage_plugin::__private::error)),
            ),
            None => (quote!(#of), quote!(::core::result::Result::Ok(#called))),
        },
    };
    let params_name = if matches!(&params, Params::Each(all) if all.is_empty()) {
        quote!(_params)
    } else {
        quote!(mut params)
    };
    let entry = quote! {
        ::sausage_plugin::__private::Method {
            name: #name,
            about: #about,
            deprecated: #deprecated,
            params: |schemas| schemas.subschema_for::<#described>(),
            result: |schemas| schemas.subschema_for::<#result>(),
            call: |#params_name| ::std::boxed::Box::pin(async move {
                let result: ::sausage_plugin::Result<#result> = #answer;
                ::sausage_plugin::__private::reply(result)
            }),
        }
    };
    Ok(Method { entry, beside })
}

enum Params {
    /// One struct that is the whole object of params.
    Whole(Type),
    Each(Vec<Param>),
}

struct Param {
    name: Ident,
    wire: String,
    of: Type,
    docs: Vec<Attribute>,
}

fn read_params(inputs: &mut syn::punctuated::Punctuated<FnArg, Token![,]>) -> Result<Params> {
    let mut each = Vec::new();
    let count = inputs.len();
    for input in inputs {
        let FnArg::Typed(argument) = input else {
            return Err(Error::new(input.span(), "a method is a function without self"));
        };
        if take_attribute(&mut argument.attrs, "params").is_some() {
            if count > 1 {
                return Err(Error::new(
                    argument.span(),
                    "#[params] is the whole object of params, so it stands alone",
                ));
            }
            return Ok(Params::Whole((*argument.ty).clone()));
        }
        let Pat::Ident(pattern) = &*argument.pat else {
            return Err(Error::new(argument.pat.span(), "a param needs a name"));
        };
        let renamed = take_attribute(&mut argument.attrs, "name");
        let name = pattern.ident.clone();
        let wire = match renamed {
            Some(attribute) => attribute_text(&attribute)?,
            None => name.to_string().trim_start_matches("r#").to_string(),
        };
        let (docs, others) = argument
            .attrs
            .drain(..)
            .partition(|attribute| attribute.path().is_ident("doc"));
        argument.attrs = others;
        each.push(Param {
            name,
            wire,
            of: (*argument.ty).clone(),
            docs,
        });
    }
    Ok(Params::Each(each))
}

/// The `T` of a `Result<T>` or `Result<T, E>`.
fn result_of(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| {
        if let GenericArgument::Type(of) = argument {
            Some(of)
        } else {
            None
        }
    })
}

fn take_attribute(attributes: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let at = attributes
        .iter()
        .position(|attribute| attribute.path().is_ident(name))?;
    Some(attributes.remove(at))
}

/// The text of `#[name = "…"]`.
fn attribute_text(attribute: &Attribute) -> Result<String> {
    match &attribute.meta.require_name_value()?.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text), ..
        }) => Ok(text.value()),
        other => Err(Error::new(other.span(), "a text is needed here")),
    }
}

/// The doc comments as one text, without the space that each line begins with.
fn take_docs(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        if let Ok(text) = attribute_text(attribute) {
            lines.extend(
                text.split('\n')
                    .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end().to_string()),
            );
        }
    }
    lines.join("\n").trim().to_string()
}

fn pascal(snake: &str) -> String {
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    snake.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}
