import { Page } from '../../components/page.tsx'

export function AuditLogScreen() {
  return <Page title="AuditLogScreen">…</Page>
}
