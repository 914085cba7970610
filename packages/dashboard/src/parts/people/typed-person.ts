/** Somebody to be added, as typed. */
export interface TypedPerson {
  readonly email: string
  readonly name: string
}

export const NOBODY: TypedPerson = { email: '', name: '' }

/** A typed person as bodies take one: no name is null. */
export function personFields({ email, name }: TypedPerson): { readonly email: string; readonly name: string | null } {
  return { email: email.trim(), name: name.trim() || null }
}
