/** What a project tells randgen in its code. randgen knows these annotations by their simple names. */
package dev.randgen.annotations;
