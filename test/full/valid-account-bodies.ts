import { randomUUID } from 'node:crypto'
import type { operations } from '@parley/contract/index'
import type { KnownIds } from './known-ids.ts'

/** Login of the first owner. Servers under test start with it. */
export const OWNER_LOGIN = { email: 'owner@example.com', password: 'owner password for tests' } as const

/** An address without a server, so that requests with stored keys do not leave the machine. */
export const UNREACHABLE_URL = 'http://127.0.0.1:9'

/** Valid request bodies by operation. */
export type Bodies = Readonly<Partial<Record<keyof typeof operations, object>>>

/** Returns an unused email address. */
export function newEmail(name = 'somebody'): string {
  return `${name}-${randomUUID()}@example.com`.toLowerCase()
}

/** Bodies of the operations on users, sessions, keys, tenants and providers. */
export function accountBodies({ workspaceId, values }: KnownIds): Bodies {
  const person = () => ({ email: newEmail(), name: 'Somebody' })
  const slug = () => `s-${randomUUID()}`
  return {
    createWorkspace: { name: 'Workspace', tenantId: values.tenantId },
    updateWorkspace: { name: 'Workspace', nativeTransferEnabled: false },
    updateConcurrency: {
      workspaceId,
      baseConcurrency: 20,
      purchasedConcurrency: 5,
      concurrencyPurchaseLimit: 100,
    },
    rotateSigningSecret: { workspaceId },
    putWorkspaceSecret: { workspaceId, value: 'sk-0123456789' },
    // Everyone who can create a token has this scope.
    createToken: {
      name: 'Token',
      scopes: ['admin'],
      workspaceIds: [workspaceId],
      expiresAt: '2099-01-31T12:00:00Z',
    },
    login: OWNER_LOGIN,
    // Setting the same password again locks nobody out.
    changePassword: { currentPassword: OWNER_LOGIN.password, newPassword: OWNER_LOGIN.password },
    updateProfile: { name: 'Dana' },
    confirmPassword: { password: OWNER_LOGIN.password },
    // A link is shown only once, so this one is invalid.
    resetPassword: { token: 'x'.repeat(43), newPassword: 'another password' },
    acceptInvitation: { token: 'x'.repeat(43) },
    createProviderKey: { service: 'anthropic', apiKey: 'sk-0123456789', baseUrl: UNREACHABLE_URL, workspaceId },
    updateProviderKey: { apiKey: 'sk-0123456789', baseUrl: UNREACHABLE_URL },
    addMember: { ...person(), role: 'viewer' },
    updateMember: { role: 'editor' },
    createTenant: { name: 'Tenant', providerId: values.providerId, slug: slug() },
    updateTenant: { name: 'Tenant' },
    addTenantAdmin: person(),
    createProvider: { name: 'Provider', slug: slug(), markupPercent: 10 },
    updateProvider: { name: 'Provider', markupPercent: 20 },
    addProviderAdmin: person(),
    updateBranding: {
      tenantId: values.tenantId,
      productName: 'Product',
      logoUrl: 'https://brand.example.com/logo.png',
      faviconUrl: 'data:image/png;base64,AAAA',
      primaryColor: '#112233',
      accentColor: '#aabbcc',
      supportEmail: 'support@example.com',
      supportUrl: 'https://brand.example.com/support',
      termsUrl: 'https://brand.example.com/terms',
      privacyUrl: 'https://brand.example.com/privacy',
      showPoweredBy: true,
      domain: `${values.tenantId}.example.com`,
    },
    verifyBrandDomain: { tenantId: values.tenantId },
  }
}
