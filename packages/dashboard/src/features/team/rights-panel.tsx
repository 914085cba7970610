import { MEMBER_ROLES } from '@parley/contract/access'
import { Check, Minus } from 'lucide-react'
import { Panel } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import { MEMBER_WORDS } from '../../parts/people/role-words.ts'
import { RIGHT_ROWS } from './role-words.ts'

/** Which role may do what. */
export function RightsPanel() {
  const t = useText()
  return (
    <Panel
      title={t('What each role may do')}
      description={t('People who administer the account reach every workspace of it without being members.')}
    >
      <div className="overflow-x-auto">
        <table className="w-full border-collapse">
          <caption className="sr-only">{t('What each role may do')}</caption>
          <thead>
            <tr>
              <th scope="col" className="py-2 pe-2 text-start text-xs font-medium text-muted">
                {t('Right')}
              </th>
              {MEMBER_ROLES.map((role) => (
                <th key={role} scope="col" className="px-1 py-2 text-center sm:px-2 text-xs font-medium text-muted">
                  {t(MEMBER_WORDS[role])}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {RIGHT_ROWS.map(({ right, words, roles }) => (
              <tr key={right} className="border-t border-line">
                <th scope="row" className="py-2 pe-2 text-start font-normal">
                  {t(words)}
                </th>
                {MEMBER_ROLES.map((role) => (
                  <td key={role} className="px-1 py-2 sm:px-2">
                    <Mark isOn={roles[role]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function Mark({ isOn }: { readonly isOn: boolean }) {
  const t = useText()
  const Icon = isOn ? Check : Minus
  return (
    <span className={isOn ? 'text-good' : 'text-muted'}>
      <Icon aria-hidden="true" className="mx-auto size-4" />
      <span className="sr-only">{isOn ? t('Yes') : t('No')}</span>
    </span>
  )
}
