tea and café
