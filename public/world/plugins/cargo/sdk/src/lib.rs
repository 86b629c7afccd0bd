//! Write a plugin of a Sausage world in Rust.
//!
//! A plugin is a module with public functions: its methods. Their params and results are types of `serde` with schemas
//! of `schemars`; what is written in doc comments reaches those who use the plugin.
//!
//! ```no_run
//! /// Counts.
//! #[sausage_plugin::plugin(grace = 2)]
//! mod counter {
//!     use sausage_plugin::{lock, Result};
//!
//!     const FILE: &str = "/state/counter/count.txt";
//!
//!     /// Adds to the count and answers it.
//!     pub fn add(
//!         /// How much; 1 if it is not said.
//!         by: Option<u32>,
//!     ) -> Result<u64> {
//!         lock(FILE, || {
//!             let count: u64 = std::fs::read_to_string(FILE).map_or(Ok(0), |text| text.parse())?;
//!             let count = count + u64::from(by.unwrap_or(1));
//!             std::fs::write(FILE, count.to_string())?;
//!             Ok(count)
//!         })
//!     }
//! }
//! ```
//!
//! `counter.add {"by": 2}` starts a process, which answers and ends. The same process can
//!
//! - call others: [`call`], [`call_async`], [`call_detached`], [`notify`], and with types [`import!`];
//! - tell its caller something meanwhile: [`tell`], [`progress`];
//! - hold locks: [`lock`], [`lock_async`], [`try_lock`];
//! - go on after its answer: [`spawn`], [`sleep`], [`on_stop`], [`stopped`];
//! - serve an interface to others while it runs, and use theirs: [`listen`], [`Endpoint`], [`caller`].
//!
//! It ends when none of its methods, background tasks and endpoints runs any more. What it writes to stderr
//! (`eprintln!`) goes to the journal; stdout belongs to the protocol. Who is who is in the environment: `SAUSAGE_PID`,
//! `SAUSAGE_PLUGIN`, `SAUSAGE_PARENT`.
//!
//! The package is built by `cargo.build` in a world, or anywhere with `cargo build --target wasm32-wasip2`.

#![warn(missing_docs)]

mod call;
mod endpoint;
mod error;
mod executor;
#[cfg(all(target_os = "wasi", target_env = "p1"))]
mod heap;
mod interface;
mod lock;
mod message;
mod net;
mod params;
mod runtime;
mod schemas;
mod socket;
mod task;
mod wait;

pub use call::{call, call_async, call_detached, notify, progress, tell, Call};
pub use endpoint::{caller, listen, Endpoint, Listening};
pub use error::{Error, Result};
pub use executor::{sleep, Sleep};
pub use lock::{lock, lock_async, try_lock, Lock};
pub use runtime::{on_stop, stopped};
/// JSON Schemas for the types of params and results: `#[derive(JsonSchema)]` with `#[schemars(crate = …)]`, or with
/// `schemars` among the package's own dependencies.
pub use schemars;
/// Reading and writing the types of params and results.
pub use serde;
/// JSON, and `json!`.
pub use serde_json;
pub use task::spawn;

/// Makes a module a plugin: each `pub fn`, plain or `async`, is a method under its name.
///
/// - The arguments are the params, by name; one of type `Option` need not be sent. They need `Deserialize` and
///   `JsonSchema`, the result `Serialize` and `JsonSchema`. A result of type `Result` can fail, with any error.
/// - Doc comments of the module, the functions, their arguments and the types are the descriptions in `rpc.discover`.
/// - `#[name = "…"]` before a function or an argument gives it another name; `#[params]` before the only argument makes
///   it the whole object of params.
/// - `#[retired]` before a function that takes `previous: String` makes it the hook `rpc.retired`: the core calls it in
///   the new version once the last process of the version before has ended (R3.7-4).
/// - `#[endpoint]` before an inner module declares it as an endpoint interface (chapter 5), which [`listen`] serves.
/// - [`import!`] in the module also declares what is imported.
/// - `#[plugin(grace = 2)]` says how many seconds processes have to end after an upgrade; 60 if it is not said.
///
/// The macro writes the `main` of the program.
///
/// ```no_run
/// use sausage_plugin::plugin;
///
/// /// Keeps tasks.
/// #[plugin(grace = 2)]
/// mod tasks {
///     use sausage_plugin::{schemars, serde, Error};
///     # use schemars::JsonSchema;
///     # use serde::{Deserialize, Serialize};
///
///     /// Something to be done.
///     #[derive(Serialize, Deserialize, JsonSchema)]
///     #[serde(crate = "sausage_plugin::serde")]
///     #[schemars(crate = "sausage_plugin::schemars")]
///     pub struct Task {
///         /// In a few words.
///         title: String,
///     }
///
///     /// Finds a task.
///     pub async fn find(title: String, #[name = "max-age"] max_age: Option<u32>) -> Result<Task, Error> {
///         Ok(Task { title })
///     }
///
///     /// Adds a task, all of it in one object.
///     #[name = "add-task"]
///     pub fn add(#[params] task: Task) -> Task {
///         task
///     }
///
///     #[retired]
///     fn migrate(previous: String) {
///         eprintln!("version {previous} is gone");
///     }
///
///     /// What a running process offers.
///     #[endpoint]
///     pub mod control {
///         /// Whether it is well.
///         pub fn status() -> String {
///             "well".to_string()
///         }
///     }
/// }
/// ```
///
/// [`import!`]: crate::import
pub use sausage_plugin_macros::plugin;

/// `import!("notes")` writes the module `notes`: a function for each method of that plugin, with the types of its params
/// and results. Its source is a copy of `/proc/plugins/notes/discover.json` in the folder `imports/` beside the package
/// (`/plugins/<this>/imports/notes.json`), and its text is what `/proc/plugins/notes/client.rs` shows.
///
/// In the module of `#[plugin]` it also declares the import, so that the core checks it at each activation. Say which
/// methods are used, `import!("notes": "add", "list")`, and others may go away without hurting this plugin.
///
/// ```
/// # mod at_least { // the document stands in imports/ beside the SDK for this example
/// sausage_plugin::import!("greeter": "greet");
///
/// pub fn greet(name: &str) -> sausage_plugin::Result<String> {
///     let params = greeter::GreetParams { name: name.to_string(), ..Default::default() };
///     Ok(greeter::greet(&params)?.text)
/// }
/// # }
/// ```
pub use sausage_plugin_macros::import;

/// What the macros write refers to; no part of the interface of this crate.
#[doc(hidden)]
pub mod __private {
    pub use crate::interface::{error, reply, Handling, Import, Interface, Method, Plugin};
    pub use crate::params::Params;
    pub use crate::runtime::run;
}
