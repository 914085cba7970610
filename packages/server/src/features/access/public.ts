/** What the rest of the server may use of this feature. */

export { type AccessService, createAccessService } from './access-service.ts'
export { createAccessWatch } from './access-watch.ts'
export { bootstrapOwner, type FirstOwner, findBootstrapError } from './bootstrap.ts'
export { createPasswordProblems, createPasswords, type Passwords } from './bounded-passwords.ts'
export { createLinkTokens } from './link-tokens.ts'
export { createPasswordLinks } from './password-links.ts'
export { createTenantDirectoryReader } from './tenant-directory-reader.ts'
