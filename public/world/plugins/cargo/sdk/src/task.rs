//! Work that goes on after the answer.

use crate::executor;
use std::future::Future;

/// Runs a future beside everything else; the process lives until it ends (R3.6-10). When the process is asked to stop, the
/// future is dropped where it waits, after the hooks of [`on_stop`](crate::on_stop).
///
/// ```
/// use std::time::Duration;
///
/// /// Answers at once and speaks three times later.
/// pub fn start() {
///     sausage_plugin::spawn(async {
///         for tick in 1..=3 {
///             sausage_plugin::sleep(Duration::from_secs(1)).await;
///             eprintln!("tick {tick}");
///         }
///     });
/// }
/// ```
pub fn spawn(work: impl Future<Output = ()> + 'static) {
    executor::add(work, true);
}
