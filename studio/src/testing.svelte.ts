/** Effects outside of a component. Gives back how to end them. */
export function rooted(run: () => void): () => void {
  return $effect.root(run)
}
