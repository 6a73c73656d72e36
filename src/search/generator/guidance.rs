//! What guides the search: GRT's six components (docs/bibliography.md) and what goes beyond them.
//!
//! Any component can be left out (`--disable`), so that a figure can say what it is worth. Where a search without it
//! must decide the same thing all the same, the component stands behind a small trait, beside its plain counterpart.

mod bloodhound;
mod concolic;
mod constant_mining;
mod detective;
mod elephant_brain;
mod impurity;
pub mod moment;
pub mod operands;
mod orienteering;
mod patterns;

pub use bloodhound::{Bloodhound, MethodChoice};
pub use concolic::{ConcolicSeeds, ConcolicSolver};
pub use constant_mining::ConstantMining;
pub use detective::Producing;
pub use elephant_brain::{ElephantBrain, Typing};
pub use impurity::Fuzzing;
pub use operands::Operands;
pub use orienteering::{OVERHEAD, Orienteering, ValueChoice};

use model::options::Component;
use program::{ExistingTests, Program};

/// The components that a run has.
pub struct Guidance {
    disabled: Vec<Component>,
    pub methods: Box<dyn MethodChoice>,
    pub values: Box<dyn ValueChoice>,
    pub typing: Box<dyn Typing>,
    pub producing: Box<dyn Producing>,
    pub fuzzing: Box<dyn Fuzzing>,
}

impl Guidance {
    /// All components but those named.
    pub fn without(components: &[Component]) -> Guidance {
        let has = |component| !components.contains(&component);
        Guidance {
            disabled: components.to_vec(),
            methods: if has(Component::Bloodhound) { Box::new(Bloodhound) } else { Box::new(bloodhound::Uniform) },
            values: if has(Component::Orienteering) { Box::new(Orienteering) } else { Box::new(orienteering::Uniform) },
            typing: if has(Component::ElephantBrain) {
                Box::new(ElephantBrain)
            } else {
                Box::new(elephant_brain::Declared)
            },
            producing: if has(Component::Detective) {
                Box::new(detective::Detective)
            } else {
                Box::new(detective::OwnFactories)
            },
            fuzzing: if has(Component::Impurity) {
                Box::new(impurity::Impurity)
            } else {
                Box::new(impurity::AsTheyAre)
            },
        }
    }

    pub fn has(&self, component: Component) -> bool {
        !self.disabled.contains(&component)
    }

    /// The program's own tests, if the search may learn from them.
    pub fn existing_tests<'p>(&self, program: &'p Program) -> Option<&'p ExistingTests> {
        self.has(Component::ExistingTests).then_some(&program.existing_tests)
    }
}
