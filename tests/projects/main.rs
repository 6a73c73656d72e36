//! Whole projects with their own builds: needs Maven, and for what is chosen by name Gradle.

mod fixtures;
mod gradle_resolution;
mod maven_resolution;
mod mocks;
