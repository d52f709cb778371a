café and café
