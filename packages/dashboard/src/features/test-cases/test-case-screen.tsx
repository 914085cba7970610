import { Page } from '../../components/page.tsx'

export function TestCaseScreen() {
  return <Page title="TestCaseScreen">…</Page>
}
