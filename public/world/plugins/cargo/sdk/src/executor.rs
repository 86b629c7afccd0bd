//! Runs futures on the one thread of a process: handlers, background tasks, timers.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

struct Task {
    future: Pin<Box<dyn Future<Output = ()>>>,
    background: bool,
}

enum Slot {
    Free,
    Waiting(Task),
    /// Its future is being polled; `ends` when it is to be dropped afterwards.
    Running {
        background: bool,
        ends: bool,
    },
}

struct Executor {
    slots: RefCell<Vec<Slot>>,
    timers: RefCell<Vec<Timer>>,
    last_timer: Cell<u64>,
}

struct Timer {
    time: Instant,
    number: u64,
    waker: Waker,
}

thread_local! {
    static EXECUTOR: Executor = const {
        Executor {
            slots: RefCell::new(Vec::new()),
            timers: RefCell::new(Vec::new()),
            last_timer: Cell::new(0),
        }
    };
}

/// Tasks that can go on. A waker must be `Send`, so this is not in the executor.
static READY: Mutex<VecDeque<usize>> = Mutex::new(VecDeque::new());

struct TaskWaker(usize);

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        READY.lock().unwrap().push_back(self.0);
    }
}

/// Adds a task; it runs when the task that runs now waits.
pub(crate) fn add(future: impl Future<Output = ()> + 'static, background: bool) {
    EXECUTOR.with(|executor| {
        let task = Slot::Waiting(Task {
            future: Box::pin(future),
            background,
        });
        let mut slots = executor.slots.borrow_mut();
        let free = slots.iter().position(|slot| matches!(slot, Slot::Free));
        let at = free.unwrap_or(slots.len());
        match free {
            Some(at) => slots[at] = task,
            None => slots.push(task),
        }
        READY.lock().unwrap().push_back(at);
    });
}

/// Runs tasks until all of them wait.
pub(crate) fn run_ready() {
    loop {
        let next = READY.lock().unwrap().pop_front();
        match next {
            Some(at) => run(at),
            None => return,
        }
    }
}

fn run(at: usize) {
    EXECUTOR.with(|executor| {
        let slot = std::mem::replace(&mut executor.slots.borrow_mut()[at], Slot::Free);
        let mut task = match slot {
            Slot::Waiting(task) => task,
            other => {
                executor.slots.borrow_mut()[at] = other;
                return;
            }
        };
        executor.slots.borrow_mut()[at] = Slot::Running {
            background: task.background,
            ends: false,
        };
        let waker = Waker::from(Arc::new(TaskWaker(at)));
        let polled = task.future.as_mut().poll(&mut Context::from_waker(&waker));
        let ends = matches!(executor.slots.borrow()[at], Slot::Running { ends: true, .. });
        let slot = if polled.is_pending() && !ends {
            Slot::Waiting(task)
        } else {
            Slot::Free
        };
        executor.slots.borrow_mut()[at] = slot;
    });
}

/// Whether no task is left.
pub(crate) fn is_idle() -> bool {
    EXECUTOR.with(|executor| executor.slots.borrow().iter().all(|slot| matches!(slot, Slot::Free)))
}

/// Drops the background tasks, each where it waits.
pub(crate) fn end_background() {
    EXECUTOR.with(|executor| {
        let mut dropped = Vec::new();
        for slot in executor.slots.borrow_mut().iter_mut() {
            match slot {
                Slot::Waiting(Task { background: true, .. }) => dropped.push(std::mem::replace(slot, Slot::Free)),
                Slot::Running { background: true, ends } => *ends = true,
                _ => {}
            }
        }
        // What their destructors do may use the executor again.
        drop(dropped);
    });
}

/// How long until the next timer; zero if it is due.
pub(crate) fn next_timer() -> Option<Duration> {
    EXECUTOR.with(|executor| {
        let timers = executor.timers.borrow();
        let first = timers.iter().map(|timer| timer.time).min();
        first.map(|time| time.saturating_duration_since(Instant::now()))
    })
}

/// Wakes those whose time has come.
pub(crate) fn fire_timers() {
    EXECUTOR.with(|executor| {
        let now = Instant::now();
        let mut timers = executor.timers.borrow_mut();
        let first = |timers: &[Timer]| {
            let due = timers.iter().enumerate().filter(|(_, timer)| timer.time <= now);
            due.min_by_key(|(_, timer)| (timer.time, timer.number))
                .map(|(at, _)| at)
        };
        while let Some(at) = first(&timers) {
            timers.swap_remove(at).waker.wake();
        }
    });
}

/// Waits without holding up other tasks, from now on.
///
/// ```
/// use std::time::Duration;
///
/// async fn slowly() {
///     sausage_plugin::sleep(Duration::from_millis(100)).await;
/// }
/// ```
pub fn sleep(duration: Duration) -> Sleep {
    let number = EXECUTOR.with(|executor| {
        executor.last_timer.set(executor.last_timer.get() + 1);
        executor.last_timer.get()
    });
    Sleep {
        time: Instant::now() + duration,
        number,
    }
}

/// The future of [`sleep`].
///
/// ```
/// use std::time::Duration;
///
/// let _nap: sausage_plugin::Sleep = sausage_plugin::sleep(Duration::from_secs(1));
/// ```
#[derive(Debug)]
#[must_use = "a future does nothing until it is awaited"]
pub struct Sleep {
    time: Instant,
    number: u64,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context) -> Poll<()> {
        if self.time <= Instant::now() {
            return Poll::Ready(());
        }
        let Sleep { time, number } = *self;
        let waker = context.waker().clone();
        EXECUTOR.with(|executor| {
            let mut timers = executor.timers.borrow_mut();
            timers.retain(|timer| timer.number != number);
            timers.push(Timer { time, number, waker });
        });
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        // The thread may be ending, with the executor gone before its tasks.
        let _ = EXECUTOR.try_with(|executor| executor.timers.borrow_mut().retain(|timer| timer.number != self.number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn tasks_run_in_turn_and_timers_in_their_order() {
        let said = Rc::new(RefCell::new(Vec::new()));
        for (name, milliseconds) in [("late", 20), ("soon", 5), ("now", 0)] {
            let said = said.clone();
            let speak = async move {
                said.borrow_mut().push(format!("{name} begins"));
                sleep(Duration::from_millis(milliseconds)).await;
                said.borrow_mut().push(format!("{name} ends"));
            };
            add(speak, false);
        }
        // A timer that nobody waits for any more does not count.
        drop(sleep(Duration::from_secs(3600)));
        run_ready();
        while let Some(wait) = next_timer() {
            std::thread::sleep(wait);
            fire_timers();
            run_ready();
        }
        assert!(is_idle());
        let expected = [
            "late begins",
            "soon begins",
            "now begins",
            "now ends",
            "soon ends",
            "late ends",
        ];
        assert_eq!(*said.borrow(), expected);
    }

    #[test]
    fn the_end_drops_background_tasks_and_leaves_handlers() {
        struct Told(Rc<Cell<bool>>);
        impl Drop for Told {
            fn drop(&mut self) {
                self.0.set(true);
            }
        }
        let dropped = Rc::new(Cell::new(false));
        let guard = Told(dropped.clone());
        let hour = Duration::from_secs(3600);
        add(
            async move {
                sleep(hour).await;
                drop(guard)
            },
            true,
        );
        add(sleep(hour), false);
        run_ready();
        end_background();
        assert!(dropped.get());
        assert!(!is_idle());
        assert!(next_timer().is_some());
    }
}
