import type { BrandDomain } from '@parley/contract/branding'
import { BadgeCheck, RefreshCw } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { DescriptionList, Panel } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { useSession } from '../../lib/session/session.ts'
import { type BrandOwner, toOwnerFields } from './brand-owner.ts'

const PROBLEMS: Readonly<Record<NonNullable<BrandDomain['problem']>, string>> = {
  record_missing: message('The DNS record was not found. New records can take a few hours to appear.'),
  record_differs: message('The DNS record has a different value.'),
  lookup_failed: message('The DNS lookup failed. Try again in a moment.'),
  domain_taken: message('This domain is assigned to another brand. Contact the operator.'),
}

/** Displays whether the saved domain is verified, and the DNS record for verification. */
export function DomainPanel({ owner }: { readonly owner: BrandOwner }) {
  const t = useText()
  const isOperator = useSession().user.role === 'platform_admin'
  const { data } = useRead('getBrandDomain', { query: toOwnerFields(owner) })
  const verify = useWrite('verifyBrandDomain', { invalidates: ['getBrandDomain', 'getBranding'] })
  if (data === undefined || data.domain === null) return null
  const { domain, status, record } = data
  const isPending = status === 'pending'
  const problem = isPending && verify.data?.value.domain === domain ? verify.data.value.problem : null
  const startVerification = (vouch: boolean): void => verify.mutate({ body: { ...toOwnerFields(owner), vouch } })
  return (
    <Panel
      title={t('Domain verification')}
      description={isPending ? t('Add this DNS record to verify the domain.') : ''}
      actions={
        isPending && (
          <>
            <Button icon={RefreshCw} busy={verify.isPending} onClick={() => startVerification(false)}>
              {t('Verify')}
            </Button>
            {isOperator && (
              <Button icon={BadgeCheck} disabled={verify.isPending} onClick={() => startVerification(true)}>
                {t('Verify without record')}
              </Button>
            )}
          </>
        )
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <span className="break-all">{domain}</span>
        <Badge tone={isPending ? 'warn' : 'good'}>{isPending ? t('Not verified') : t('Verified')}</Badge>
      </div>
      {isPending && record !== null && (
        <DescriptionList
          items={[
            [t('Type'), record.type],
            [t('Record name'), <CopyText key="name" text={record.name} />],
            [t('Value'), <CopyText key="value" text={record.value} />],
          ]}
        />
      )}
      <div role="status">{problem !== null && <p className="text-warn">{t(PROBLEMS[problem])}</p>}</div>
      {verify.error !== null && <ProblemNote problem={verify.error} />}
    </Panel>
  )
}
