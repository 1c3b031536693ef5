//! Threads that search for routes, apart from those that serve requests.
//!
//! The queue before them is short, which bounds how long anybody waits: who finds
//! it full is told so at once.

use std::{
    collections::VecDeque,
    fmt, io,
    num::NonZeroUsize,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};
use tokio::sync::oneshot;

/// No worker took the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// As much is waiting as may wait.
    Full,
    /// The worker broke down at it.
    Broken,
}

type Job = Box<dyn FnOnce() + Send>;

/// A fixed number of threads with one queue.
pub(super) struct Workers(Arc<Queue>);

struct Queue {
    waiting: Mutex<Waiting>,
    arrival: Condvar,
    capacity: usize,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    is_closed: bool,
}

impl Workers {
    /// Starts so many threads, before which so many jobs may wait.
    pub(super) fn start(count: NonZeroUsize, capacity: usize) -> io::Result<Self> {
        let queue = Arc::new(Queue {
            waiting: Mutex::default(),
            arrival: Condvar::new(),
            capacity,
        });
        let workers = Self(Arc::clone(&queue));
        for _ in 0..count.get() {
            let queue = Arc::clone(&queue);
            let worker = thread::Builder::new().name("routes".to_owned());
            worker.spawn(move || queue.work())?;
        }
        Ok(workers)
    }

    /// Has a worker do it, unless as much is waiting as may wait.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let (answer, answered) = oneshot::channel();
        self.0.push(Box::new(move || {
            // Nobody waits for the answer any more.
            if !answer.is_closed() {
                let _ = answer.send(work());
            }
        }))?;
        answered.await.map_err(|_| Refused::Broken)
    }
}

impl Queue {
    fn push(&self, job: Job) -> Result<(), Refused> {
        let mut waiting = self.lock();
        if waiting.jobs.len() >= self.capacity {
            return Err(Refused::Full);
        }
        waiting.jobs.push_back(job);
        drop(waiting);
        self.arrival.notify_one();
        Ok(())
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            // Who waits for the answer is told by its channel; the thread goes on.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    fn next(&self) -> Option<Job> {
        let waiting = self
            .arrival
            .wait_while(self.lock(), |it| it.jobs.is_empty() && !it.is_closed);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        waiting.jobs.pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.arrival.notify_all();
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn workers(count: usize, capacity: usize) -> Arc<Workers> {
        let count = NonZeroUsize::new(count).unwrap();
        Arc::new(Workers::start(count, capacity).unwrap())
    }

    /// Keeps a worker busy until the sender is dropped.
    async fn occupy(workers: &Arc<Workers>) -> mpsc::Sender<()> {
        let (begun, has_begun) = oneshot::channel();
        let (release, released) = mpsc::channel::<()>();
        let workers = Arc::clone(workers);
        tokio::spawn(async move {
            let wait = move || {
                begun.send(()).unwrap();
                released.recv().unwrap_err();
            };
            workers.run(wait).await
        });
        has_begun.await.unwrap();
        release
    }

    #[tokio::test]
    async fn a_full_queue_refuses_at_once_and_the_others_are_served() {
        let workers = workers(1, 2);
        let busy = occupy(&workers).await;
        let mut waiting = Vec::new();
        for number in 0..2 {
            let workers = Arc::clone(&workers);
            waiting.push(tokio::spawn(
                async move { workers.run(move || number).await },
            ));
            tokio::task::yield_now().await;
        }
        assert_eq!(workers.run(|| 2).await, Err(Refused::Full));
        drop(busy);
        for (number, it) in (0..).zip(waiting) {
            assert_eq!(it.await.unwrap(), Ok(number));
        }
        assert_eq!(workers.run(|| 3).await, Ok(3));
    }

    #[tokio::test]
    async fn a_panic_costs_one_answer_and_no_worker() {
        let workers = workers(1, 1);
        let broken = workers.run(|| -> u8 { panic!("for the test") }).await;
        assert_eq!(broken, Err(Refused::Broken));
        assert_eq!(workers.run(|| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_done() {
        let workers = workers(1, 2);
        let busy = occupy(&workers).await;
        let (done, was_done) = mpsc::channel();
        let forgotten = workers.run(move || done.send(()).unwrap());
        assert!(
            tokio::time::timeout(std::time::Duration::ZERO, forgotten)
                .await
                .is_err()
        );
        drop(busy);
        assert_eq!(workers.run(|| 1).await, Ok(1));
        assert!(was_done.try_recv().is_err());
    }
}
