//! The one error of a plugin.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// What a method answers when it fails, and what a call gives when the other side failed (R3.9).
///
/// Every error of the standard library and of most crates becomes one with `?`: its text is the message, and the code is
/// [`Error::INTERNAL`]. An error that came from a call can be passed on unchanged.
///
/// ```
/// use sausage_plugin::{Error, Result};
///
/// fn port(text: &str) -> Result<u16> {
///     let port: u16 = text.parse()?;
///     if port < 1024 {
///         return Err(Error::invalid_params(format!("{port} is below 1024")));
///     }
///     Ok(port)
/// }
///
/// assert_eq!(port("80").unwrap_err().code, Error::INVALID_PARAMS);
/// assert_eq!(port("x").unwrap_err().message, "invalid digit found in string");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Error {
    /// See the constants of this type for the codes of the protocol; those above -32000 are free.
    pub code: i64,
    /// A sentence for a person.
    pub message: String,
    /// Anything that helps a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl Error {
    /// There is no such method.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// A param is missing or cannot be used.
    pub const INVALID_PARAMS: i64 = -32602;
    /// Something failed inside.
    pub const INTERNAL: i64 = -32603;
    /// There is no such plugin.
    pub const NO_PLUGIN: i64 = -32001;
    /// The process that was called ended without an answer; `data` has its exit status and last journal lines.
    pub const NO_ANSWER: i64 = -32002;
    /// An activation was rejected; `data` has the problems.
    pub const REJECTED: i64 = -32003;

    /// An error with any code.
    ///
    /// ```
    /// # use sausage_plugin::Error;
    /// assert_eq!(Error::new(1, "out of milk").message, "out of milk");
    /// ```
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Error {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// An error of this plugin's own, without a code that matters.
    ///
    /// ```
    /// # use sausage_plugin::Error;
    /// assert_eq!(Error::msg("out of milk").code, Error::INTERNAL);
    /// ```
    pub fn msg(message: impl Into<String>) -> Self {
        Error::new(Error::INTERNAL, message)
    }

    /// The caller's params cannot be used; say which and why.
    ///
    /// ```
    /// # use sausage_plugin::Error;
    /// assert_eq!(Error::invalid_params("id 7 is of no note").code, -32602);
    /// ```
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Error::new(Error::INVALID_PARAMS, message)
    }

    /// The same error with data for a program.
    ///
    /// ```
    /// # use sausage_plugin::Error;
    /// let error = Error::new(1, "out of milk").with_data(serde_json::json!({ "left": 0 }));
    /// assert_eq!(error.data.unwrap()["left"], 0);
    /// ```
    pub fn with_data(self, data: Value) -> Self {
        Error {
            data: Some(data),
            ..self
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{} ({})", self.message, self.code)
    }
}

// `Error` is no `std::error::Error` itself, or this would contain the conversion of a type into itself.
impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        Error::msg(error.to_string())
    }
}

/// What fallible functions of a plugin return.
///
/// ```
/// fn half(number: u32) -> sausage_plugin::Result<u32> {
///     Ok(number / 2)
/// }
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;
