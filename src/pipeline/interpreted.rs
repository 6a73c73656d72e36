//! The classes of a launch for the interpreter of symbolic exploration.

use host::supervisor::{ClassReader, Launch, SupervisorError};
use model::jvm::ClassName;
use std::cell::RefCell;
use std::rc::Rc;
use symbolic::classes::Classes;
use symbolic::interpreter::InterpreterWorld;

/// Classes as far as they were needed, and what was made of them.
pub struct Interpreted {
    /// Linked classes and terms.
    pub world: InterpreterWorld<'static>,
    broken: Rc<RefCell<Option<SupervisorError>>>,
}

impl Interpreted {
    /// Starts a worker that reads the classes of the launch.
    pub fn open(launch: &Launch) -> Result<Interpreted, SupervisorError> {
        let mut reader = ClassReader::open(launch)?;
        let broken = Rc::<RefCell<Option<SupervisorError>>>::default();
        let told = Rc::clone(&broken);
        let source = move |name: &ClassName| match reader.read(std::slice::from_ref(name)) {
            Ok(mut found) => found.pop()?,
            Err(error) => {
                told.borrow_mut().get_or_insert(error);
                None
            }
        };
        Ok(Interpreted { world: InterpreterWorld::new(Classes::new(source)), broken })
    }

    /// Returns an error if a class could not be read, because the interpreter then treated it as missing.
    pub fn is_whole(&self) -> Result<(), SupervisorError> {
        self.broken.take().map_or(Ok(()), Err)
    }
}
