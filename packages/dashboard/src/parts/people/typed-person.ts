/** A person to invite, as typed. */
export interface TypedPerson {
  readonly email: string
  readonly name: string
}

export const NOBODY: TypedPerson = { email: '', name: '' }

/** The fields of a request body; a missing name is null. */
export function personFields({ email, name }: TypedPerson): { readonly email: string; readonly name: string | null } {
  return { email: email.trim(), name: name.trim() || null }
}
