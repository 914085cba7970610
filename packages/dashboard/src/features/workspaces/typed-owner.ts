/** Something with a name and a part of a path, as typed. */
export interface TypedOwner {
  readonly name: string
  readonly slug: string
}

export const UNNAMED: TypedOwner = { name: '', slug: '' }

/** A typed provider or account as bodies take one: no path is null, and is made of the name. */
export function ownerFields({ name, slug }: TypedOwner): { readonly name: string; readonly slug: string | null } {
  return { name, slug: slug.trim() || null }
}
