//! The macros of `sausage-plugin`; their documentation stands there.

mod client;
mod import;
mod json;
mod plugin;

use proc_macro::TokenStream;

#[proc_macro_attribute]
pub fn plugin(arguments: TokenStream, item: TokenStream) -> TokenStream {
    plugin::expand(arguments.into(), item.into())
        .unwrap_or_else(|error| error.into_compile_error())
        .into()
}

#[proc_macro]
pub fn import(arguments: TokenStream) -> TokenStream {
    import::expand(arguments.into())
        .unwrap_or_else(|error| error.into_compile_error())
        .into()
}
