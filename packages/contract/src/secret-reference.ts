/** How tools and MCP servers display stored secrets and refer to named secrets. */

/** Placeholder returned instead of a stored secret. A client that sends the placeholder back keeps the secret. */
export const STORED_VALUE = '__stored__'

/** Prefix of template variables that refer to a named secret. */
export const SECRET_PREFIX = 'secrets.'

/** Returns the names of the secrets in a text, without duplicates. */
export function findSecretNames(text: string): string[] {
  const matches = text.matchAll(/\{\{[^\S\n]*secrets\.([^{}|\s]+)[^\S\n]*(?=\||\}\})/g)
  return [...new Set([...matches].map(([, name = '']) => name))]
}
