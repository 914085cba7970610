import { createHmac } from 'node:crypto'
import type { BrandDomain, VerifyBrandDomainBody } from '@parley/contract/branding'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError } from '../../kernel/errors.ts'
import { createTokenBuckets } from '../../kernel/security/rate-limits.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { type Brand, type DomainProof, getDomainStatus, normalizeHostName } from './brand.ts'
import type { BrandAdministration, ReadTxtRecords } from './brand-owner.ts'
import { createOwnerFinder, getOwnerId, type RequestedOwner } from './brand-owner.ts'
import { findBrand, findOwnerByDomain, saveProof } from './branding-store.ts'

interface DomainServiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly administration: BrandAdministration
  readonly readTxtRecords: ReadTxtRecords
  /** Reads the installation key. TXT record values are derived from this key and never stored. */
  readonly readKey: () => Promise<Uint8Array>
  /** The installation's host; null if unknown. */
  readonly publicHost: string | null
}

/** Verifies domain ownership. */
export interface DomainService {
  /** Returns the owner's domain and its verification status. Throws `not_found` if the actor does not administer the owner. */
  get(actor: Actor, owner: RequestedOwner): Promise<BrandDomain>
  /**
   * Looks up the TXT record and marks the owner's domain as verified if the record matches. Throws `rate_limited` after too many
   * lookups.
   */
  verify(actor: Actor, body: VerifyBrandDomainBody): Promise<BrandDomain>
}

type Problem = BrandDomain['problem']

const RECORD_PREFIX = '_parley-verification'
/** Lookup rate limit per owner. */
const LOOKUP_LIMIT = { perSecond: 0.1, burst: 5 }
const RETRY_AFTER_MS = 10_000

export function createDomainService(dependencies: DomainServiceDependencies): DomainService {
  const { database, readTxtRecords, readKey } = dependencies
  const requireBrandOwner = createOwnerFinder(dependencies.administration)
  const takeLookupToken = createTokenBuckets(LOOKUP_LIMIT, dependencies.clock)

  async function deriveRecordValue(ownerId: string, domain: string): Promise<string> {
    return createHmac('sha256', await readKey())
      .update(`domain.${ownerId}.${domain}`)
      .digest('base64url')
  }

  async function describeDomain(ownerId: string, problem: Problem = null): Promise<BrandDomain> {
    const brand = await findBrand(database.read, ownerId)
    if (brand === null || brand.domain === null) {
      return { domain: null, status: null, verifiedBy: null, record: null, problem: null }
    }
    const { domain, proof } = brand
    const record = {
      type: 'TXT',
      name: `${RECORD_PREFIX}.${domain}`,
      value: await deriveRecordValue(ownerId, domain),
    } as const
    return { domain, status: getDomainStatus(brand), verifiedBy: proof, record, problem }
  }

  async function findRecordProblem(ownerId: string, domain: string): Promise<Problem> {
    if (!takeLookupToken(ownerId).isTaken) {
      throw new AppError('rate_limited', 'The domain was checked several times recently. Wait and try again.', {
        retryAfterMs: RETRY_AFTER_MS,
      })
    }
    const records = await readTxtRecords(`${RECORD_PREFIX}.${domain}`)
    if (records === null) return 'lookup_failed'
    if (records.includes(await deriveRecordValue(ownerId, domain))) return null
    return records.length === 0 ? 'record_missing' : 'record_differs'
  }

  return {
    get: async (actor, owner) => describeDomain(getOwnerId(await requireBrandOwner(database.read, actor, owner))),

    async verify(actor, { tenantId, providerId, vouch }) {
      const ownerId = getOwnerId(await requireBrandOwner(database.read, actor, { tenantId, providerId }))
      if (vouch && actor.role !== 'platform_admin') {
        throw new AppError('forbidden', 'Only a platform_admin can verify a domain without its record.')
      }
      const brand = await findBrand(database.read, ownerId)
      if (!needsProof(brand, vouch)) return await describeDomain(ownerId)
      const { domain } = brand
      const problem = vouch ? null : await findRecordProblem(ownerId, domain)
      if (problem !== null) return await describeDomain(ownerId, problem)
      const verifiedDomain = { ownerId, domain, proof: vouch ? 'operator' : 'record' } as const
      return await describeDomain(ownerId, await claimDomain(dependencies, actor, verifiedDomain))
    },
  }
}

/** Marks a domain as verified for its owner. Replaces another owner's verification unless an operator made it. */
function claimDomain(
  { database, publicHost }: Pick<DomainServiceDependencies, 'database' | 'publicHost'>,
  actor: Actor,
  { ownerId, domain, proof }: { readonly ownerId: string; readonly domain: string; readonly proof: DomainProof },
): Promise<Problem> {
  const isInstallationHost =
    publicHost !== null && domain === normalizeHostName(publicHost) && actor.role !== 'platform_admin'
  return database.transaction(async (transaction) => {
    const brand = await findBrand(transaction, ownerId)
    // The domain changed during the lookup.
    if (brand?.domain !== domain) return null
    const currentOwner = await findOwnerByDomain(transaction, domain)
    const isVerifiedByOperator =
      currentOwner !== null && currentOwner.ownerId !== ownerId && currentOwner.proof === 'operator'
    if (isInstallationHost || (isVerifiedByOperator && proof !== 'operator')) return 'domain_taken'
    await saveProof(transaction, { ownerId, domain }, proof)
    return null
  })
}

/** Whether the domain requires a new proof. Operators can replace record proofs, and everyone can replace outdated proofs. */
function needsProof(brand: Brand | null, vouch: boolean): brand is Brand & { readonly domain: string } {
  if (brand === null || brand.domain === null) return false
  return vouch ? brand.proof !== 'operator' : brand.proof === null || brand.proof === 'earlier'
}
