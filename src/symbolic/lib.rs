//! Symbolic state exploration (Symstra, docs/bibliography.md): what a class's methods do for all arguments at once.
//!
//! A small interpreter of bytecode runs methods over symbolic numbers and a concrete heap; a path's conditions are decided
//! by a solver. Nothing of the code under test is executed.

pub mod classes;
pub mod concolic;
pub mod explore;
pub mod heap;
pub mod interpreter;
pub mod nearby;
pub mod order;
pub mod path;
pub mod replay;
pub mod solver;
pub mod state;
pub mod term;
